// Entries that are done are of no use to anybody: what happened is in the record of the run. Some worker throws them away.
import { setTimeout as sleep } from "node:timers/promises";
import type { executorNow } from "./dbos.ts";

const EVERY_MS = 60_000;
/** Long enough to look at when something went wrong. */
const KEPT_MS = 3_600_000;
const AT_ONCE = 500;

/** Until the signal is aborted. */
export async function throwAwayOld(
  { systemDatabase }: ReturnType<typeof executorNow>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(EVERY_MS * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    await throwAway(systemDatabase, new Date(Date.now() - KEPT_MS)).catch(() => {});
  }
}

async function throwAway(
  database: ReturnType<typeof executorNow>["systemDatabase"],
  before: Date,
): Promise<void> {
  const done = await database.listWorkflows({
    status: ["SUCCESS", "ERROR", "CANCELLED"],
    completedBefore: before.toISOString(),
    limit: AT_ONCE,
    loadInput: false,
    loadOutput: false,
  });
  if (done.length > 0) await database.deleteWorkflows(done.map(({ workflowUUID }) => workflowUUID));
}

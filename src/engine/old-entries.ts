// Entries that are done are of no use to anybody: what happened is in the record of the run. Some worker throws them away.
import { setTimeout as sleep } from "node:timers/promises";
import type { executorNow } from "./dbos.ts";

/** Kept long enough to look at when something went wrong. */
const TIMES = { everyMs: 60_000, keptMs: 3_600_000 };
const AT_ONCE = 500;

type Queue = Pick<ReturnType<typeof executorNow>, "systemDatabase">;

/** Until the signal is aborted. */
export async function throwAwayOld(
  { systemDatabase }: Queue,
  signal: AbortSignal,
  { everyMs, keptMs } = TIMES,
): Promise<void> {
  for (;;) {
    await sleep(everyMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    await throwAway(systemDatabase, new Date(Date.now() - keptMs)).catch(() => {});
  }
}

async function throwAway(database: Queue["systemDatabase"], before: Date): Promise<void> {
  const done = await database.listWorkflows({
    status: ["SUCCESS", "ERROR", "CANCELLED"],
    completedBefore: before.toISOString(),
    limit: AT_ONCE,
    loadInput: false,
    loadOutput: false,
  });
  if (done.length > 0) await database.deleteWorkflows(done.map(({ workflowUUID }) => workflowUUID));
}

// Deletes completed queue entries; what happened is in the run's events. Every worker does so from time to time.
import { setTimeout as sleep } from "node:timers/promises";
import type { currentExecutor } from "./dbos.ts";

/** Retention long enough to look into a problem. */
const SCHEDULE = { everyMs: 60_000, keptMs: 3_600_000 };
const BATCH_SIZE = 500;

type Queue = Pick<ReturnType<typeof currentExecutor>, "systemDatabase">;

/** Runs until the signal is aborted. */
export async function deleteOldEntries(
  { systemDatabase }: Queue,
  signal: AbortSignal,
  { everyMs, keptMs } = SCHEDULE,
): Promise<void> {
  for (;;) {
    await sleep(everyMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    await deleteBatch(systemDatabase, new Date(Date.now() - keptMs)).catch(() => {});
  }
}

async function deleteBatch(database: Queue["systemDatabase"], before: Date): Promise<void> {
  const done = await database.listWorkflows({
    status: ["SUCCESS", "ERROR", "CANCELLED"],
    completedBefore: before.toISOString(),
    limit: BATCH_SIZE,
    loadInput: false,
    loadOutput: false,
  });
  if (done.length > 0) await database.deleteWorkflows(done.map(({ workflowUUID }) => workflowUUID));
}

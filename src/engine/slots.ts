// Patches DBOS so that each worker has its own concurrency limit over all its queues; DBOS stores one limit per queue,
// the same for all workers.
import { queueDatabase } from "./dbos.ts";

/** `free` returns how many more runs may start. Call this before the launch, which takes entries at once. */
export function limitConcurrency(free: (running: number) => number): void {
  const { prototype } = queueDatabase().SystemDatabase;
  const { listQueues } = prototype;
  prototype.listQueues = async function (...args) {
    const records = await listQueues.apply(this, args);
    return records.map((record) => ({ ...record, workerConcurrency: Number.MAX_SAFE_INTEGER }));
  };
  prototype.countRunningWorkflowsForQueue = function () {
    const running = [...this.runningWorkflowMap.values()].reduce((sum, entries) => sum + entries.length, 0);
    return Number.MAX_SAFE_INTEGER - Math.max(0, free(running));
  };
}

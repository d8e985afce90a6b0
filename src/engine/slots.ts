// How much one worker does at once. DBOS keeps that number with the queue, the same for all workers; here each has its own,
// over all the queues that it serves.
import { databaseOfQueue } from "./dbos.ts";

/** `free` tells how many more runs may be taken while so many are under way. Said before the queue is launched, which takes some at once. */
export function takeAtMost(free: (running: number) => number): void {
  const { prototype } = databaseOfQueue().SystemDatabase;
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

// How much one worker does at once. DBOS keeps that number with the queue, the same for all workers; here each has its own,
// over all the queues that it serves.
import type { DBOSExecutor } from "@dbos-inc/dbos-sdk/internal/dbos-executor";

type SystemDatabase = DBOSExecutor["systemDatabase"];

/** `free` tells how many more runs may be taken at the moment. */
export function takeAtMost(database: SystemDatabase, free: () => number): void {
  const { listQueues } = database;
  database.listQueues = async (...args) => {
    const records = await listQueues.apply(database, args);
    return records.map((record) => ({ ...record, workerConcurrency: Number.MAX_SAFE_INTEGER }));
  };
  database.countRunningWorkflowsForQueue = () => Number.MAX_SAFE_INTEGER - Math.max(0, free());
}

// Loads DBOS, the queue library, on first use: loading takes a third of a second. Whatever depends on internals of DBOS is in
// this file; its version is pinned.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export type Sdk = typeof import("@dbos-inc/dbos-sdk");
type ExecutorModule = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor");
type RetryModule = typeof import("@dbos-inc/dbos-sdk/internal/utils");

/** Retry backoff. The library's own grows to a minute, long after the database is back. */
const RETRY_CONFIG = { initialBackoffSec: 0.2, maxBackoffSec: 2 };

export function dbos(): Sdk {
  const { dbRetryConfig }: RetryModule = require("@dbos-inc/dbos-sdk/internal/utils");
  Object.assign(dbRetryConfig, RETRY_CONFIG);
  return require("@dbos-inc/dbos-sdk");
}

/** DBOS's system database: creates its tables without log output, and verifies them without write permission. */
export const queueDatabase = (): typeof import("@dbos-inc/dbos-sdk/internal/system_database") =>
  require("@dbos-inc/dbos-sdk/internal/system_database");

/** The running executor, which DBOS does not export: it puts the work of a dead worker back into the queue. */
export function currentExecutor(): InstanceType<ExecutorModule["DBOSExecutor"]> {
  const { DBOSExecutor }: ExecutorModule = require("@dbos-inc/dbos-sdk/internal/dbos-executor");
  const executor = DBOSExecutor.globalInstance;
  if (!executor) throw new Error("DBOS was launched but has no executor");
  return executor;
}

export const pg = (): typeof import("pg") => require("pg");

/** Logger for DBOS: passes warnings and errors on and drops the rest. */
export function quietLogger(warn: (text: string) => void) {
  const messageOf = (entry: unknown) => (entry instanceof Error ? entry.message : String(entry));
  return {
    info: () => {},
    debug: () => {},
    warn: (entry: unknown) => warn(messageOf(entry)),
    error: (entry: unknown) => warn(messageOf(entry)),
  };
}

/**
 * Patches DBOS: replaces two methods of its internal SystemDatabase. DBOS stores one concurrency limit per queue, the same
 * for all workers, and counts per queue; its public API has no limit for one worker over all its queues. With the patch every
 * queue looks unlimited, and the count of running workflows is such that DBOS takes as many more as `free` returns. Call this
 * before the launch, which takes entries at once.
 */
export function patchConcurrency(free: (running: number) => number): void {
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

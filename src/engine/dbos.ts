// Loads DBOS, the queue library, on first use: loading takes a third of a second.
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

// The library that the queue is made of, loaded when it is needed: it takes a third of a second.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export type Sdk = typeof import("@dbos-inc/dbos-sdk");
type Internals = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor");
type Retries = typeof import("@dbos-inc/dbos-sdk/internal/utils");

/** It would try again after one second, two, four, up to a minute: long after the database is back. */
const TRIES = { initialBackoffSec: 0.2, maxBackoffSec: 2 };

export function dbos(): Sdk {
  const { dbRetryConfig }: Retries = require("@dbos-inc/dbos-sdk/internal/utils");
  Object.assign(dbRetryConfig, TRIES);
  return require("@dbos-inc/dbos-sdk");
}

/** Its tables, made without a word, as its own `migrate` does not; and a look that needs no right to change anything. */
export const databaseOfQueue = (): typeof import("@dbos-inc/dbos-sdk/internal/system_database") =>
  require("@dbos-inc/dbos-sdk/internal/system_database");

/** What it does not hand out: the running executor, by which the work of a dead one is put back into the queue. */
export function executorNow(): InstanceType<Internals["DBOSExecutor"]> {
  const { DBOSExecutor }: Internals = require("@dbos-inc/dbos-sdk/internal/dbos-executor");
  const executor = DBOSExecutor.globalInstance;
  if (!executor) throw new Error("the queue was launched and is not there");
  return executor;
}

export const pg = (): typeof import("pg") => require("pg");

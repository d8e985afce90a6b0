// The library that the queue is made of, loaded when it is needed: it takes a third of a second.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export type Sdk = typeof import("@dbos-inc/dbos-sdk");
type Internals = typeof import("@dbos-inc/dbos-sdk/internal/dbos-executor");
type Tables = typeof import("@dbos-inc/dbos-sdk/internal/system_database");

export const dbos = (): Sdk => require("@dbos-inc/dbos-sdk");

/** What it does not hand out: the running executor, by which the work of a dead one is put back into the queue. */
export function executorNow(): InstanceType<Internals["DBOSExecutor"]> {
  const { DBOSExecutor }: Internals = require("@dbos-inc/dbos-sdk/internal/dbos-executor");
  const executor = DBOSExecutor.globalInstance;
  if (!executor) throw new Error("the queue was launched and is not there");
  return executor;
}

/** As its own `migrate` does it, which talks to the terminal; and a look that needs no right to change anything. */
export const tables = (): Pick<Tables, "migrateSystemDatabase" | "verifySystemDatabase"> =>
  require("@dbos-inc/dbos-sdk/internal/system_database");

export const pg = (): typeof import("pg") => require("pg");

// Creates and migrates the queue's tables in the database, once, whichever process comes first.
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "#spec/errors";
import { oneLine } from "#text/plain-text";
import { pg, queueDatabase, quietLogger } from "./dbos.ts";
import { SCHEMA } from "./names.ts";

/** Advisory lock with an arbitrary key. Polled, because CREATE INDEX waits until no other query is pending. */
const LOCK = "SELECT pg_try_advisory_lock(7226017403) AS held";
const PAUSE_MS = 100;
const CONNECT_TIMEOUT_MS = 10_000;

/** Holds the lock during the work; a second process waits and finds the work done. */
async function withLock(url: string, work: () => Promise<void>): Promise<void> {
  const { Client } = pg();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {});
  await client.connect();
  try {
    while (!(await client.query<{ held: boolean }>(LOCK)).rows[0]?.held) await sleep(PAUSE_MS);
    await work();
  } finally {
    await client.end().catch(() => {});
  }
}

export async function makeTables(url: string): Promise<void> {
  const { migrateSystemDatabase, verifySystemDatabase } = queueDatabase();
  // Its type demands more than it uses.
  const logger = quietLogger(() => {}) as unknown as Parameters<typeof migrateSystemDatabase>[1];
  const exist = await verifySystemDatabase(url, logger, undefined, SCHEMA).then(
    () => true,
    () => false,
  );
  if (exist) return;
  try {
    await withLock(url, () => migrateSystemDatabase(url, logger, SCHEMA));
  } catch (error) {
    throw new UsageError(
      `cannot create or migrate the tables of the queue: ${oneLine((error as Error).message, 300)}; the role must own the schema ${SCHEMA}, or have the right to create it`,
    );
  }
}

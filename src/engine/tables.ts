// The queue's own tables in the database: made once, whoever comes first.
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "#spec/errors";
import { oneLine } from "#text/plain-text";
import { databaseOfQueue, pg } from "./dbos.ts";
import { SCHEMA } from "./names.ts";
import { quietLogger } from "./quiet-logger.ts";

/** Any number that nobody else locks. Asked for again and again: an index is made once no other question is under way. */
const LOCK = "SELECT pg_try_advisory_lock(7226017403) AS held";
const PAUSE_MS = 100;
const CONNECT_MS = 10_000;

/** Whoever comes second waits, and finds it done. */
async function oneAtATime(url: string, work: () => Promise<void>): Promise<void> {
  const { Client } = pg();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
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
  const { migrateSystemDatabase, verifySystemDatabase } = databaseOfQueue();
  // Its type asks for more than it uses.
  const logger = quietLogger(() => {}) as unknown as Parameters<typeof migrateSystemDatabase>[1];
  const areThere = await verifySystemDatabase(url, logger, undefined, SCHEMA).then(
    () => true,
    () => false,
  );
  if (areThere) return;
  try {
    await oneAtATime(url, () => migrateSystemDatabase(url, logger, SCHEMA));
  } catch (error) {
    throw new UsageError(
      `cannot make or update the tables of the queue: ${oneLine((error as Error).message, 300)}; the role has to own the schema ${SCHEMA}, or be allowed to create it`,
    );
  }
}

// The queue's own tables in the database: made once, whoever comes first.
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "#spec/errors";
import { databaseOfQueue, pg } from "./dbos.ts";
import { SCHEMA } from "./names.ts";
import { quietLogger } from "./quiet-logger.ts";

/** Any number that nobody else locks. Asked for again and again: an index is made once no other question is under way. */
const LOCK = "SELECT pg_try_advisory_lock(7226017403) AS held";
const PAUSE_MS = 100;

type Ask = (text: string) => Promise<{ rows: { held?: boolean }[] }>;

async function inSession<T>(url: string, work: (query: Ask) => Promise<T>) {
  const { Client } = pg();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work((text) => client.query(text));
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whoever comes second waits, and finds it done. */
export async function makeTables(url: string): Promise<void> {
  const { migrateSystemDatabase } = databaseOfQueue();
  const logger = quietLogger(() => {}) as unknown as Parameters<typeof migrateSystemDatabase>[1];
  try {
    await inSession(url, async (query) => {
      while (!(await query(LOCK)).rows[0]?.held) await sleep(PAUSE_MS);
      await migrateSystemDatabase(url, logger, SCHEMA);
    });
  } catch (error) {
    throw new UsageError(
      `cannot make or update the queue's tables (schema ${SCHEMA}): ${(error as Error).message}; the role has to own the schema, or be allowed to create it`,
    );
  }
}

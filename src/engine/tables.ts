// The queue's own tables in the database: made once, whoever comes first.
import { UsageError } from "#spec/errors";
import { oneLine } from "#spec/text";
import { pg, tables } from "./dbos.ts";
import { SCHEMA } from "./names.ts";
import { quietLogger } from "./quiet-logger.ts";

/** Any number that nobody else locks. */
const LOCK = 7_226_017_403;
const CONNECT_MS = 10_000;

type Logger = Parameters<ReturnType<typeof tables>["verifySystemDatabase"]>[1];

/** Whoever comes second waits, and finds it done. */
async function oneAtATime(url: string, work: () => Promise<void>): Promise<void> {
  const { Client } = pg();
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${LOCK})`);
    await work();
  } finally {
    await client.end().catch(() => {});
  }
}

export async function makeTables(url: string): Promise<void> {
  const { migrateSystemDatabase, verifySystemDatabase } = tables();
  // Its type asks for more than it uses.
  const logger = quietLogger(() => {}) as unknown as Logger;
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

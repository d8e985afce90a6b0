// The queue's own tables in the database: made once, whoever comes first.
import { UsageError } from "#spec/errors";
import { dbos, pg } from "./dbos.ts";
import { SCHEMA } from "./names.ts";

/** Any number that nobody else locks. */
const LOCK = 7_226_017_403;

async function inSession<T>(
  url: string,
  work: (query: (text: string) => Promise<{ rows: object[] }>) => Promise<T>,
) {
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
  const { DBOS } = dbos();
  try {
    await inSession(url, async (query) => {
      await query(`SELECT pg_advisory_lock(${LOCK})`);
      await DBOS.migrate(url, { schemaName: SCHEMA });
    });
  } catch (error) {
    throw new UsageError(
      `cannot make or update the queue's tables (schema ${SCHEMA}): ${(error as Error).message}; the role has to own the schema, or be allowed to create it`,
    );
  }
}

// Postgres schema `converge`: creates and migrates the tables, once, on the first connection.
import type { ClientBase } from "pg";
import { UsageError } from "#spec/errors";
import { isMissing } from "./database-errors.ts";
import { LOGS } from "./tables/logs.ts";
import { PACKS } from "./tables/packs.ts";
import { PRESENCE } from "./tables/presence.ts";

// Text, not JSON: the hashes cover these exact bytes. COLLATE "C", so that every server sorts alike.
const TABLES = `
  CREATE TABLE converge.runs (
    id text COLLATE "C" PRIMARY KEY, workspace text NOT NULL, started_at text COLLATE "C" NOT NULL,
    heard bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX runs_by_age ON converge.runs (started_at DESC, id);
  CREATE TABLE converge.events (
    run text COLLATE "C" NOT NULL, seq integer NOT NULL, body text NOT NULL, hash text NOT NULL,
    PRIMARY KEY (run, seq)
  );
  CREATE TABLE converge.commands (
    run text COLLATE "C" NOT NULL, id bigint NOT NULL, key uuid NOT NULL UNIQUE, body text NOT NULL, hash text NOT NULL,
    PRIMARY KEY (run, id)
  );
  CREATE TABLE converge.lessons (
    run text COLLATE "C" PRIMARY KEY, workspace text NOT NULL, at text COLLATE "C" NOT NULL, body text NOT NULL
  );
  CREATE TABLE converge.places (run text COLLATE "C" PRIMARY KEY, dir text NOT NULL, hash text NOT NULL);`;

const MIGRATIONS: readonly string[] = [TABLES, PRESENCE, PACKS, LOGS];

/** Advisory lock key; an arbitrary number that nothing else locks. */
const LOCK = 7_226_017_402;

async function readVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>("SELECT version FROM converge.version");
  return rows[0]?.version ?? 0;
}

async function prepare(client: ClientBase): Promise<number> {
  // IF NOT EXISTS would need the CREATE privilege even when the schema exists.
  const { rowCount } = await client.query("SELECT FROM pg_namespace WHERE nspname = 'converge'");
  if (rowCount === 0) await client.query("CREATE SCHEMA converge");
  const { rows } = await client.query<{ there: boolean }>(
    "SELECT to_regclass('converge.version') IS NOT NULL AS there",
  );
  if (rows[0]?.there) return readVersion(client);
  await client.query("CREATE TABLE converge.version (version integer NOT NULL)");
  await client.query("INSERT INTO converge.version VALUES (0)");
  return 0;
}

/** Migrates atomically; a second process waits for the lock and finds the work done. */
async function migrate(client: ClientBase): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    for (const migration of MIGRATIONS.slice(await prepare(client))) await client.query(migration);
    await client.query("UPDATE converge.version SET version = greatest(version, $1)", [MIGRATIONS.length]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Runs on every new connection, because a newer Converge may have migrated the database meanwhile. */
export async function migrateIfNeeded(client: ClientBase, place: string): Promise<void> {
  const before = await readVersion(client).catch((error: unknown) => {
    if (isMissing(error)) return 0;
    throw error;
  });
  if (before < MIGRATIONS.length) await migrate(client);
  if (before > MIGRATIONS.length)
    throw new UsageError(
      `${place} is used by a newer Converge (schema ${before}, this one knows ${MIGRATIONS.length}); update Converge, or use another database`,
    );
}

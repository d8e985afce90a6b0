// Postgres schema `converge`: creates and migrates the tables, once, on the first connection.
import type { ClientBase } from "pg";
import { UsageError } from "#spec/errors";
import { isMissing } from "./database-errors.ts";

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

/** First key of the advisory locks; the second is the member's number, or 0 while a claim with limits is taken. */
export const LOCK_CLASS = 722_601;

// Worker liveness. Each member holds an advisory lock while its session lives, so there is no lease to renew.
const PRESENCE = `
  CREATE TABLE converge.members (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, home text NOT NULL,
    since timestamptz NOT NULL DEFAULT now(), worker text
  );
  CREATE TABLE converge.claims (
    run text COLLATE "C" PRIMARY KEY, member integer NOT NULL, since timestamptz NOT NULL DEFAULT now(),
    repository text, agent text
  );
  CREATE TABLE converge.capacity (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), total integer, per_repository integer, per_agent integer
  );
  INSERT INTO converge.capacity DEFAULT VALUES;
  CREATE VIEW converge.here AS
    SELECT DISTINCT objid::bigint::integer AS member FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${LOCK_CLASS} AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    -- A server that has just started has lost all locks, and everybody has to come back first.
    UNION SELECT number FROM converge.members WHERE pg_postmaster_start_time() > now() - interval '3 seconds';
  CREATE FUNCTION converge.claim(its_run text, by_member integer, its_repository text, its_agent text)
  RETURNS TABLE (refusal text, most integer) LANGUAGE plpgsql AS $$
  DECLARE
    bounds converge.capacity%ROWTYPE;
    limited boolean;
    total integer; in_repository integer; by_agent integer;
  BEGIN
    IF its_repository IS NOT NULL THEN
      SELECT * INTO bounds FROM converge.capacity;
    END IF;
    limited := coalesce(bounds.total, bounds.per_repository, bounds.per_agent) IS NOT NULL;
    -- One at a time, where a limit is counted, and for one run always: each statement below sees what the one before us did.
    IF limited THEN
      PERFORM pg_advisory_xact_lock(${LOCK_CLASS}, 0);
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(its_run, ${LOCK_CLASS}));
    IF EXISTS (SELECT FROM converge.claims c JOIN converge.here h ON h.member = c.member
               WHERE c.run = its_run AND c.member <> by_member) THEN
      RETURN QUERY SELECT 'driven', 0;
      RETURN;
    END IF;
    IF limited THEN
      SELECT count(*), count(*) FILTER (WHERE c.repository = its_repository), count(*) FILTER (WHERE c.agent = its_agent)
        INTO total, in_repository, by_agent
        FROM converge.claims c JOIN converge.here h ON h.member = c.member
        WHERE c.repository IS NOT NULL AND c.run <> its_run;
      RETURN QUERY SELECT full_one.name, full_one.bound FROM (VALUES
          ('total', bounds.total, total),
          ('perRepository', bounds.per_repository, in_repository),
          ('perAgent', bounds.per_agent, by_agent)
        ) AS full_one (name, bound, used) WHERE full_one.used >= full_one.bound LIMIT 1;
      IF FOUND THEN RETURN; END IF;
    END IF;
    INSERT INTO converge.claims (run, member, repository, agent) VALUES (its_run, by_member, its_repository, its_agent)
      ON CONFLICT (run) DO UPDATE SET member = excluded.member, since = now(),
        repository = excluded.repository, agent = excluded.agent;
  END $$`;

// Snapshot packs. A piece is invisible until the row of its pack is inserted, which happens last. Storage EXTERNAL: packs
// are compressed already.
const PACKS = `
  CREATE TABLE converge.packs (
    run text COLLATE "C" NOT NULL, number integer NOT NULL, key uuid NOT NULL UNIQUE, trees text[] NOT NULL,
    bytes bigint NOT NULL, PRIMARY KEY (run, number)
  );
  CREATE TABLE converge.pack_pieces (
    key uuid NOT NULL, at integer NOT NULL, run text COLLATE "C" NOT NULL, since timestamptz NOT NULL DEFAULT now(),
    bytes bytea NOT NULL, PRIMARY KEY (key, at)
  );
  CREATE INDEX pack_pieces_of_run ON converge.pack_pieces (run, since);
  ALTER TABLE converge.pack_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;`;

// Logs shared between machines. A piece names its origin: when two origins write at the same time, only the pieces of one are read.
const LOGS = `
  CREATE TABLE converge.logs (
    run text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL, origin text NOT NULL, since integer NOT NULL,
    bytes bigint NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (run, file)
  );
  CREATE TABLE converge.log_pieces (
    run text COLLATE "C" NOT NULL, file text COLLATE "C" NOT NULL, at bigint NOT NULL, origin text NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (run, file, at),
    FOREIGN KEY (run, file) REFERENCES converge.logs ON DELETE CASCADE
  );`;

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

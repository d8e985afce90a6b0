// The SQLite file of the store: ownership check, tables, migrations and error messages.
import fs from "node:fs";
import path from "node:path";
import { ConflictError, TamperedError, UsageError } from "#spec/errors";
import { hasNoSpace, isFullDisk } from "#system/disk";
import { privateDir } from "#system/files";
import { type Database, isBusy, openDatabase } from "#system/sqlite";
import { link, origin } from "../chain.ts";

const TABLES = `
  CREATE TABLE events (
    run TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq)
  ) WITHOUT ROWID;
  CREATE TABLE runs (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, started_at TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE commands (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, body TEXT NOT NULL);
  CREATE INDEX commands_of_run ON commands (run, id);`;

/** Adds a hash to every entry of a table. Entries from before hashes existed are trusted, this once. */
function addHashes(database: Database, table: "events" | "commands", order: "seq" | "id"): void {
  database.exec(`ALTER TABLE ${table} ADD COLUMN hash TEXT NOT NULL DEFAULT ''`);
  const select = database.prepare(
    `SELECT ${order} AS at, body FROM ${table} WHERE run = ? ORDER BY ${order}`,
  );
  const update = database.prepare(`UPDATE ${table} SET hash = ? WHERE run = ? AND ${order} = ?`);
  const runs = database.prepare(`SELECT DISTINCT run FROM ${table}`).all() as { run: string }[];
  for (const { run } of runs) {
    let { hash } = origin(run);
    for (const { at, body } of select.all(run) as { at: number; body: string }[]) {
      hash = link(hash, body);
      update.run(hash, run, at);
    }
  }
}

const MIGRATIONS: readonly ((database: Database) => void)[] = [
  (database) => database.exec(TABLES),
  (database) => {
    addHashes(database, "events", "seq");
    addHashes(database, "commands", "id");
  },
  (database) =>
    database.exec(
      "CREATE TABLE lessons (run TEXT PRIMARY KEY, workspace TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID",
    ),
  (database) =>
    database.exec(
      "CREATE TABLE places (run TEXT PRIMARY KEY, dir TEXT NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID",
    ),
];

/** Returns the number that a pragma or a query yields. */
function selectNumber(database: Database, query: string): number {
  return Number(Object.values(database.prepare(query).get() as Record<string, unknown>)[0]);
}

const userVersion = (database: Database) => selectNumber(database, "PRAGMA user_version");

function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite rolls back by itself when the disk is full; the first error is the one to report.
  }
}

/** IMMEDIATE serialises writers from the start, without lock upgrades; DEFERRED reads one consistent snapshot. */
export function transaction<T>(database: Database, kind: "IMMEDIATE" | "DEFERRED", work: () => T): T {
  database.exec(`BEGIN ${kind}`);
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Refuses a database of another program or a newer Converge, before anything is written. */
function refuseForeign(database: Database, file: string): void {
  // One transaction, so that a store which another process creates at the moment is seen whole or not at all.
  transaction(database, "DEFERRED", () => {
    const version = userVersion(database);
    if (version > MIGRATIONS.length)
      throw new UsageError(
        `${file} was written by a newer Converge (schema ${version}, this one knows ${MIGRATIONS.length}); update Converge, or set CONVERGE_HOME to another folder`,
      );
    const objects = selectNumber(database, "SELECT count(*) FROM sqlite_master");
    const ours = selectNumber(database, "SELECT count(*) FROM sqlite_master WHERE name = 'events'");
    if (version === 0 ? objects > 0 : ours === 0) throw new Error("it is a database of another program");
  });
}

function migrate(database: Database): void {
  if (userVersion(database) === MIGRATIONS.length) return;
  transaction(database, "IMMEDIATE", () => {
    for (const migration of MIGRATIONS.slice(userVersion(database))) migration(database);
    database.exec(`PRAGMA user_version=${MIGRATIONS.length}`);
  });
}

/** Adds the file to every store error; for a file that is not a store, also what to do. */
export function explainError(file: string, error: unknown): Error {
  if (error instanceof UsageError || error instanceof ConflictError || error instanceof TamperedError)
    return error;
  const { message } = error as Error;
  // SQLite reports either error, depending on the file it could not extend.
  if (isFullDisk(error) || (/disk I\/O error/.test(message) && hasNoSpace(path.dirname(file))))
    return new UsageError(
      `cannot use the store ${file}: the disk is full (${message}). Free some space; continue an interrupted run with \`converge resume\``,
    );
  const hint = /malformed|not a database|another program|JSON/.test(message)
    ? ". Nothing was changed; move the file away (keep it as a backup) to start with an empty store"
    : "";
  return new UsageError(`cannot use the store ${file}: ${message}${hint}`);
}

const BUSY_TIMEOUT_MS = 10_000;
const MAX_PAUSE_MS = 50;

function open(file: string): Database {
  const database = openDatabase(file);
  try {
    database.exec(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    refuseForeign(database, file);
    database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the store with WAL, full sync and all migrations applied. */
export function openStore(file: string): Database {
  privateDir(path.dirname(file));
  fs.closeSync(fs.openSync(file, "a", 0o600));
  const began = performance.now();
  for (;;) {
    try {
      return open(file);
    } catch (error) {
      // Two processes that create the store at once would deadlock, so SQLite fails one with "busy" despite the timeout: retry.
      if (!isBusy(error) || performance.now() - began > BUSY_TIMEOUT_MS) throw explainError(file, error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * MAX_PAUSE_MS);
    }
  }
}

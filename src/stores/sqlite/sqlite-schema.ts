// The SQLite file of the store: whose it is, its tables, and what it says when something is wrong with it.
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

/** Gives every entry of a table its hash. What was there before there were hashes is taken as it stands, this once. */
function chain(database: Database, table: "events" | "commands", order: "seq" | "id"): void {
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
    chain(database, "events", "seq");
    chain(database, "commands", "id");
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

/** The number that a pragma or a query gives. */
function number(database: Database, query: string): number {
  return Number(Object.values(database.prepare(query).get() as Record<string, unknown>)[0]);
}

const userVersion = (database: Database) => number(database, "PRAGMA user_version");

function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite did it by itself, as it does when the disk is full; the first error is the one that tells.
  }
}

/** With IMMEDIATE two writers take turns instead of meeting half-way; with DEFERRED everything read is of one moment. */
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

/** Before anything is written: is this ours to write to? */
function refuseForeign(database: Database, file: string): void {
  // One transaction, so that another process which makes the store just now is seen whole or not at all.
  transaction(database, "DEFERRED", () => {
    const version = userVersion(database);
    if (version > MIGRATIONS.length)
      throw new UsageError(
        `${file} was written by a newer Converge (schema ${version}, this one knows ${MIGRATIONS.length}); update Converge, or set CONVERGE_HOME to another folder`,
      );
    const objects = number(database, "SELECT count(*) FROM sqlite_master");
    const ours = number(database, "SELECT count(*) FROM sqlite_master WHERE name = 'events'");
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

/** Every error of the store names the file; one that is not a store (any more) also says what can be done. */
export function explained(file: string, error: unknown): Error {
  if (error instanceof UsageError || error instanceof ConflictError || error instanceof TamperedError)
    return error;
  const { message } = error as Error;
  // Which of the two SQLite says depends on the file that it could not make longer.
  if (isFullDisk(error) || (/disk I\/O error/.test(message) && hasNoSpace(path.dirname(file))))
    return new UsageError(
      `cannot use the store ${file}: the disk is full (${message}). Free some space; a run that was under way goes on with \`converge resume\``,
    );
  const hint = /malformed|not a database|another program|JSON/.test(message)
    ? ". Nothing was changed; move the file away (keep it as a backup) to start with an empty store"
    : "";
  return new UsageError(`cannot use the store ${file}: ${message}${hint}`);
}

const PATIENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 50;

function open(file: string): Database {
  const database = openDatabase(file);
  try {
    database.exec(`PRAGMA busy_timeout=${PATIENCE_MS}`);
    refuseForeign(database, file);
    database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The connection, with everything in force that the promises of the store rest on. */
export function openStore(file: string): Database {
  privateDir(path.dirname(file));
  fs.closeSync(fs.openSync(file, "a", 0o600));
  const began = performance.now();
  for (;;) {
    try {
      return open(file);
    } catch (error) {
      // Two who make the store at the same moment would wait for each other: SQLite turns one away at once, timeout or not.
      if (!isBusy(error) || performance.now() - began > PATIENCE_MS) throw explained(file, error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * LONGEST_PAUSE_MS);
    }
  }
}

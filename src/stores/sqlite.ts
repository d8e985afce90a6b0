// Runs in one SQLite file. FULL sync on every open: with less, a power cut loses events that were acknowledged.
import fs from "node:fs";
import path from "node:path";
import { ConflictError, UsageError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { RunRow, Store } from "#spec/store";
import { privateDir } from "#system/files";
import { type Database, openDatabase } from "#system/sqlite";

const MIGRATIONS = [
  `CREATE TABLE events (
     run TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, seq)
   ) WITHOUT ROWID;
   CREATE TABLE runs (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, started_at TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE commands (id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, body TEXT NOT NULL);
   CREATE INDEX commands_of_run ON commands (run, id);`,
];

/** The number that a pragma or a query gives. */
function number(database: Database, query: string): number {
  return Number(Object.values(database.prepare(query).get() as Record<string, unknown>)[0]);
}

const userVersion = (database: Database) => number(database, "PRAGMA user_version");

/** BEGIN IMMEDIATE … COMMIT, so that two writers take turns instead of meeting half-way. */
function transaction<T>(database: Database, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** Before anything is written: is this ours to write to? */
function refuseForeign(database: Database, file: string): void {
  const version = userVersion(database);
  if (version > MIGRATIONS.length)
    throw new UsageError(
      `${file} was written by a newer Converge (schema ${version}, this one knows ${MIGRATIONS.length}); update Converge, or set CONVERGE_HOME to another folder`,
    );
  const query = "SELECT count(*) FROM sqlite_master WHERE name = 'events'";
  const isEmpty = number(database, "SELECT count(*) FROM sqlite_master") === 0;
  if (version === 0 ? !isEmpty : number(database, query) === 0)
    throw new Error("it is a database of another program");
}

function migrate(database: Database): void {
  if (userVersion(database) === MIGRATIONS.length) return;
  transaction(database, () => {
    for (const migration of MIGRATIONS.slice(userVersion(database))) database.exec(migration);
    database.exec(`PRAGMA user_version=${MIGRATIONS.length}`);
  });
}

function unusable(file: string, error: unknown): UsageError {
  return new UsageError(
    `cannot use the store ${file}: ${(error as Error).message}. Nothing was changed; move the file away (keep it as a backup) to start with an empty store`,
  );
}

/** The connection, with everything in force that the promises of the store rest on. */
export function openStore(file: string): Database {
  privateDir(path.dirname(file));
  fs.closeSync(fs.openSync(file, "a", 0o600));
  const database = openDatabase(file);
  try {
    database.exec("PRAGMA busy_timeout=10000");
    refuseForeign(database, file);
    database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error instanceof UsageError ? error : unusable(file, error);
  }
}

const parse = (row: unknown) => JSON.parse((row as { body: string }).body);

export function sqlite(file: string): Store {
  const database = openStore(file);
  const last = database.prepare("SELECT COALESCE(MAX(seq), 0) AS seq FROM events WHERE run = ?");
  const insert = database.prepare("INSERT INTO events (run, seq, body) VALUES (?, ?, ?)");
  const insertRun = database.prepare(
    "INSERT OR IGNORE INTO runs (id, workspace, started_at) VALUES (?, ?, ?)",
  );
  const select = database.prepare("SELECT body FROM events WHERE run = ? AND seq > ? ORDER BY seq");
  const selectRuns = database.prepare(
    "SELECT id, workspace, started_at FROM runs ORDER BY started_at DESC, id",
  );
  const insertCommand = database.prepare("INSERT INTO commands (run, body) VALUES (?, ?)");
  const selectCommands = database.prepare(
    "SELECT id, body FROM commands WHERE run = ? AND id > ? ORDER BY id",
  );

  const appendAll = (run: string, expectedSeq: number, events: readonly RunEvent[]) => {
    const { seq } = last.get(run) as { seq: number };
    if (Number(seq) !== expectedSeq) throw new ConflictError(run, expectedSeq, Number(seq));
    for (const event of events) {
      if (event.type === "run.started") insertRun.run(run, event.task.workspace.dir, event.time);
      insert.run(run, event.seq, JSON.stringify(event));
    }
  };

  return {
    append: async (run, expectedSeq, events) =>
      transaction(database, () => appendAll(run, expectedSeq, events)),
    read: async (run, afterSeq = 0) => select.all(run, afterSeq).map(parse),
    runs: async () =>
      (selectRuns.all() as { id: string; workspace: string; started_at: string }[]).map(
        (row): RunRow => ({ id: row.id, workspace: row.workspace, startedAt: row.started_at }),
      ),
    send: async (run, command) => {
      const { lastInsertRowid } = insertCommand.run(run, JSON.stringify(command));
      return { id: Number(lastInsertRowid), command };
    },
    inbox: async (run, afterId) =>
      (selectCommands.all(run, afterId) as { id: number; body: string }[]).map((row) => ({
        id: Number(row.id),
        command: parse(row),
      })),
    close: async () => database.close(),
  };
}

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

function userVersion(database: Database): number {
  return Number((database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version);
}

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

function migrate(database: Database, file: string): void {
  if (userVersion(database) === MIGRATIONS.length) return;
  transaction(database, () => {
    const version = userVersion(database);
    if (version > MIGRATIONS.length)
      throw new UsageError(
        `${file} was written by a newer Converge (schema ${version}, this one knows ${MIGRATIONS.length}); update Converge, or set CONVERGE_HOME to another folder`,
      );
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version=${MIGRATIONS.length}`);
  });
}

function open(file: string): Database {
  privateDir(path.dirname(file));
  fs.closeSync(fs.openSync(file, "a", 0o600));
  try {
    const database = openDatabase(file);
    database.exec("PRAGMA busy_timeout=10000; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    migrate(database, file);
    return database;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `cannot use the store ${file}: ${(error as Error).message}. Nothing was changed; move the file away (keep it as a backup) to start with an empty store`,
    );
  }
}

const parse = (row: unknown) => JSON.parse((row as { body: string }).body);

export function sqlite(file: string): Store {
  const database = open(file);
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

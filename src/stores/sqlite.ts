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

function rollBack(database: Database): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite did it by itself, as it does when the disk is full; the first error is the one that tells.
  }
}

/** BEGIN IMMEDIATE … COMMIT, so that two writers take turns instead of meeting half-way. */
function transaction<T>(database: Database, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
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
  database.exec("BEGIN");
  const version = userVersion(database);
  if (version > MIGRATIONS.length)
    throw new UsageError(
      `${file} was written by a newer Converge (schema ${version}, this one knows ${MIGRATIONS.length}); update Converge, or set CONVERGE_HOME to another folder`,
    );
  const objects = number(database, "SELECT count(*) FROM sqlite_master");
  const ours = number(database, "SELECT count(*) FROM sqlite_master WHERE name = 'events'");
  if (version === 0 ? objects > 0 : ours === 0) throw new Error("it is a database of another program");
  database.exec("COMMIT");
}

function migrate(database: Database): void {
  if (userVersion(database) === MIGRATIONS.length) return;
  transaction(database, () => {
    for (const migration of MIGRATIONS.slice(userVersion(database))) database.exec(migration);
    database.exec(`PRAGMA user_version=${MIGRATIONS.length}`);
  });
}

/** Every error of the store names the file; one that is not a store (any more) also says what can be done. */
function explained(file: string, error: unknown): Error {
  if (error instanceof UsageError || error instanceof ConflictError) return error;
  const { message } = error as Error;
  const hint = /malformed|not a database|another program|JSON/.test(message)
    ? ". Nothing was changed; move the file away (keep it as a backup) to start with an empty store"
    : "";
  return new UsageError(`cannot use the store ${file}: ${message}${hint}`);
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
    throw explained(file, error);
  }
}

const parse = (row: unknown) => JSON.parse((row as { body: string }).body);

interface StoredRun {
  readonly id: string;
  readonly workspace: string;
  readonly started_at: string;
}

const rowOf = ({ id, workspace, started_at }: StoredRun): RunRow => ({
  id,
  workspace,
  startedAt: started_at,
});

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

  const using = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw explained(file, error);
    }
  };

  return {
    append: (run, expectedSeq, events) =>
      using(() => transaction(database, () => appendAll(run, expectedSeq, events))),
    read: (run, afterSeq = 0) => using(() => select.all(run, afterSeq).map(parse)),
    runs: () => using(() => (selectRuns.all() as unknown as StoredRun[]).map(rowOf)),
    send: (run, command) =>
      using(() => {
        const { lastInsertRowid } = insertCommand.run(run, JSON.stringify(command));
        return { id: Number(lastInsertRowid), command };
      }),
    inbox: (run, afterId) =>
      using(() =>
        (selectCommands.all(run, afterId) as { id: number; body: string }[]).map((row) => ({
          id: Number(row.id),
          command: parse(row),
        })),
      ),
    close: async () => database.close(),
  };
}

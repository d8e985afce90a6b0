// SQLite store in one file. Every open sets synchronous=FULL: with less, a power cut loses acknowledged events.
import { projectOf } from "#rules/project";
import { ConflictError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Lesson } from "#spec/lesson";
import type { RunRow, Store } from "#spec/store";
import type { Database } from "#system/sqlite";
import { plain } from "#text/plain-text";
import { adopter } from "../adopt.ts";
import { chainEntries, link, origin, type Point } from "../chain.ts";
import { placesIn } from "../places.ts";
import { explainError, openStore, transaction } from "./sqlite-schema.ts";
import { type VerifiedReads, verifiedReads } from "./verified-reads.ts";

export function sqlite(file: string): Store {
  const database = openStore(file);
  try {
    return storeIn(database, file);
  } catch (error) {
    // Preparing statements fails when a table is damaged.
    database.close();
    throw explainError(file, error);
  }
}

/** Appends events to a run, inside a transaction. Returns the end of the chain. */
function eventAppender(database: Database, record: VerifiedReads) {
  const last = database.prepare("SELECT seq, hash FROM events WHERE run = ? ORDER BY seq DESC LIMIT 1");
  const insert = database.prepare("INSERT INTO events (run, seq, body, hash) VALUES (?, ?, ?, ?)");
  const insertRun = database.prepare(
    "INSERT OR IGNORE INTO runs (id, workspace, started_at) VALUES (?, ?, ?)",
  );
  return (run: string, expectedSeq: number, events: readonly RunEvent[]): Point => {
    const at = (last.get(run) as Point | undefined) ?? origin(run);
    if (!record.isKnown(run, at)) record.lastKnown(run);
    if (at.seq !== expectedSeq) {
      // Events of another Converge process have valid hashes; those inserted by plain SQL do not.
      record.events(run, expectedSeq);
      throw new ConflictError(run, expectedSeq, at.seq);
    }
    for (const event of events)
      if (event.type === "run.started") insertRun.run(run, projectOf(event.task.workspace), event.time);
    const entries = chainEntries(at, events);
    for (const { seq, body, hash } of entries) insert.run(run, seq, body, hash);
    return entries.at(-1) ?? at;
  };
}

/** Adds a command to the inbox of a run, inside a transaction. Returns its id. */
function commandSender(database: Database) {
  const last = database.prepare("SELECT hash FROM commands WHERE run = ? ORDER BY id DESC LIMIT 1");
  const insert = database.prepare("INSERT INTO commands (run, body, hash) VALUES (?, ?, ?)");
  return (run: string, body: string): number => {
    const { hash } = (last.get(run) as Pick<Point, "hash"> | undefined) ?? origin(run);
    return Number(insert.run(run, body, link(hash, body)).lastInsertRowid);
  };
}

function runLister(database: Database): () => RunRow[] {
  const select = database.prepare(
    `SELECT id, workspace, started_at AS startedAt, (SELECT max(seq) FROM events WHERE run = id) AS seq
     FROM runs ORDER BY started_at DESC, id`,
  );
  // Others can write to the table: control characters are removed, so that a row cannot corrupt the list.
  const sanitizeRow = ({ id, workspace, startedAt, seq }: Record<string, unknown>): RunRow => ({
    id: plain(String(id)),
    workspace: String(workspace),
    startedAt: plain(String(startedAt)),
    seq: Number(seq ?? 0),
  });
  return () => (select.all() as Record<string, unknown>[]).map(sanitizeRow);
}

/** The table of lessons. Users may delete it: lessons can be rebuilt from the recorded runs. */
function lessonsIn(database: Database) {
  const keep = database.prepare(
    "INSERT OR REPLACE INTO lessons (run, workspace, at, body) VALUES (?, ?, ?, ?)",
  );
  const select = database.prepare("SELECT body FROM lessons ORDER BY at, run");
  const forgetAll = database.prepare("DELETE FROM lessons");
  const forgetOf = database.prepare("DELETE FROM lessons WHERE workspace = ?");
  return {
    keep: (lesson: Lesson): void => {
      keep.run(lesson.run, lesson.workspace, lesson.at, JSON.stringify(lesson));
    },
    all: (): Lesson[] => (select.all() as { body: string }[]).map(({ body }) => JSON.parse(body) as Lesson),
    forget: (workspace?: string): number =>
      Number((workspace === undefined ? forgetAll.run() : forgetOf.run(workspace)).changes),
  };
}

function storeIn(database: Database, file: string): Store {
  const record = verifiedReads(database, file);
  const append = eventAppender(database, record);
  const send = commandSender(database);
  const listRuns = runLister(database);
  const lessons = lessonsIn(database);
  const places = placesIn(database, file);
  const adopt = adopter(database, file);

  const explainErrors = async <T>(work: () => T): Promise<T> => {
    try {
      return work();
    } catch (error) {
      throw explainError(file, error);
    }
  };
  const transact = <T>(mode: "IMMEDIATE" | "DEFERRED", work: () => T) =>
    explainErrors(() => transaction(database, mode, work));

  return {
    append: (run, expectedSeq, events) =>
      explainErrors(() => {
        const end = transaction(database, "IMMEDIATE", () => append(run, expectedSeq, events));
        record.remember(run, end);
        // After the write: events written to a deleted file are not durable.
        record.verifyFileInPlace(run);
      }),
    read: (run, afterSeq = 0) =>
      explainErrors(() => {
        record.verifyFileInPlace(run);
        return transaction(database, "DEFERRED", () => places.relocate(run, record.events(run, afterSeq)));
      }),
    runs: () => explainErrors(listRuns),
    send: (run, command) =>
      explainErrors(() => {
        const id = transaction(database, "IMMEDIATE", () => send(run, JSON.stringify(command)));
        record.verifyFileInPlace(run);
        return { id, command };
      }),
    inbox: (run, afterId) =>
      explainErrors(() => {
        record.verifyFileInPlace(run);
        return record.commands(run, afterId);
      }),
    learn: (lesson) => explainErrors(() => lessons.keep(lesson)),
    lessons: () => explainErrors(lessons.all),
    forget: (workspace) => explainErrors(() => lessons.forget(workspace)),
    record: (run) => transact("DEFERRED", () => record.record(run)),
    adopt: (run, kept, dir) =>
      transact("IMMEDIATE", () => {
        adopt(run, kept);
        if (dir !== undefined) places.keep(run, dir);
      }),
    place: (run, dir) => transact("IMMEDIATE", () => places.keep(run, dir)),
    close: async () => database.close(),
  };
}

// Postgres store, shared by several machines. Connects on first use; each operation is one statement.
import { projectOf } from "#rules/project";
import { ConflictError, TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Lesson } from "#spec/lesson";
import type { Kept, RunRow, Store } from "#spec/store";
import { plain } from "#text/plain-text";
import { lastCommand } from "../adopt.ts";
import { chainEntries, follow, origin } from "../chain.ts";
import { placeOf } from "../places.ts";
import { type Connection, connectionTo } from "./connection.ts";
import { logsIn } from "./logs.ts";
import { packsIn } from "./packs.ts";
import { presenceIn } from "./presence.ts";
import { verifiedRows } from "./rows.ts";
import { appendTo, type Listing, sendTo } from "./write.ts";

// The newest event of a run is the end of its range in the primary key.
const RUNS = `
  SELECT id, workspace, started_at AS "startedAt",
    coalesce((SELECT seq FROM converge.events WHERE run = id ORDER BY seq DESC LIMIT 1), 0) AS seq
  FROM converge.runs ORDER BY started_at DESC, id`;

const LEARN = `
  INSERT INTO converge.lessons (run, workspace, at, body) VALUES ($1, $2, $3, $4)
  ON CONFLICT (run) DO UPDATE SET workspace = excluded.workspace, at = excluded.at, body = excluded.body`;

const PLACE = `
  WITH renamed AS (UPDATE converge.runs SET workspace = $2 WHERE id = $1 AND workspace LIKE '/%')
  INSERT INTO converge.places (run, dir, hash) VALUES ($1, $2, $3)
  ON CONFLICT (run) DO UPDATE SET dir = excluded.dir, hash = excluded.hash`;

function listingOf(events: readonly RunEvent[]): Listing | undefined {
  const started = events.find((event) => event.type === "run.started");
  return started && { workspace: projectOf(started.task.workspace), startedAt: started.time };
}

/** Imports the event log of a run from another store, atomically. */
async function adopt(
  connection: Connection,
  {
    run,
    record,
    dir,
  }: { readonly run: string; readonly record: readonly Kept[]; readonly dir?: string | undefined },
) {
  const end = follow(origin(run), record);
  if (typeof end === "number")
    throw new TamperedError(run, `event ${end} does not match its hash`, connection.place);
  const events = record.map(({ body }) => JSON.parse(body) as RunEvent);
  const listing = listingOf(events);
  const isFolder = listing?.workspace.startsWith("/");
  const relocated =
    dir === undefined ? {} : { ...(isFolder && { workspace: dir }), place: placeOf(run, dir) };
  return appendTo(connection, {
    run,
    from: origin(run),
    entries: record,
    listing: listing && { ...listing, ...relocated, lastCommandId: lastCommand(events) },
  });
}

// Others can write to the table: control characters are removed, so that a row cannot corrupt the list.
const sanitizeRow = ({ id, workspace, startedAt, seq }: RunRow): RunRow => ({
  id: plain(id),
  workspace,
  startedAt: plain(startedAt),
  seq,
});

/** `url` is postgres://USER:PASSWORD@HOST:PORT/DATABASE; all tables are in the schema `converge`. */
export function postgres(url: string): Store {
  const connection = connectionTo(url);
  const rows = verifiedRows(connection);
  const presence = presenceIn(url, connection);
  const runQuery = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    connection.use((query) => query<Row>(text, values));

  return {
    append: async (run, expectedSeq, events) => {
      const from = await rows.end(run, expectedSeq);
      const entries = chainEntries(from, events);
      if (!(await appendTo(connection, { run, from, entries, listing: listingOf(events) })))
        throw await rows.refusal(run, expectedSeq);
      rows.remember(run, entries.at(-1) ?? from);
    },
    read: (run, afterSeq = 0) => rows.events(run, afterSeq),
    runs: async () => (await runQuery<RunRow>(RUNS)).map(sanitizeRow),
    send: (run, command) => sendTo(connection, run, command),
    inbox: (run, afterId) => rows.commands(run, afterId),
    learn: async (lesson) => {
      await runQuery(LEARN, [lesson.run, lesson.workspace, lesson.at, JSON.stringify(lesson)]);
    },
    lessons: async () =>
      (await runQuery<{ body: string }>("SELECT body FROM converge.lessons ORDER BY at, run")).map(
        ({ body }) => JSON.parse(body) as Lesson,
      ),
    forget: async (workspace) =>
      (
        await runQuery(
          "DELETE FROM converge.lessons WHERE $1::text IS NULL OR workspace = $1 RETURNING run",
          [workspace],
        )
      ).length,
    record: (run) => rows.record(run),
    adopt: async (run, record, dir) => {
      if (await adopt(connection, { run, record, dir })) return;
      throw new ConflictError(run, 0, (await rows.record(run)).length);
    },
    place: async (run, dir) => {
      await runQuery(PLACE, [run, dir, placeOf(run, dir).hash]);
    },
    presence,
    logs: logsIn(connection),
    packs: packsIn(connection),
    close: async () => {
      await presence.close();
      await connection.close();
    },
  };
}

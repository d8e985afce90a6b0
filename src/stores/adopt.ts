// Imports the event log of a run from another store and keeps its hashes.
import { projectOf } from "#rules/project";
import { ConflictError, TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Kept } from "#spec/store";
import type { Database } from "#system/sqlite";
import { follow, origin } from "./chain.ts";

/** The id of the last command the run has read: the store's next command id must be above it. */
export function lastCommand(events: readonly RunEvent[]): number {
  return Math.max(0, ...events.map((event) => (event.type === "command.received" ? event.queued.id : 0)));
}

export function adopter(database: Database, file: string) {
  const selectLastSeq = database.prepare("SELECT max(seq) AS seq FROM events WHERE run = ?");
  const insert = database.prepare("INSERT INTO events (run, seq, body, hash) VALUES (?, ?, ?, ?)");
  const insertRun = database.prepare("INSERT INTO runs (id, workspace, started_at) VALUES (?, ?, ?)");
  const selectHighestId = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'commands'");
  const reserveId = database.prepare("INSERT INTO commands (id, run, body, hash) VALUES (?, '', '', '')");
  const releaseId = database.prepare("DELETE FROM commands WHERE id = ?");

  /** Raises the command id sequence, so that no id is given out twice. */
  const raiseCommandIds = (id: number): void => {
    const { seq } = (selectHighestId.get() as { seq: number } | undefined) ?? { seq: 0 };
    if (id <= seq) return;
    reserveId.run(id);
    releaseId.run(id);
  };

  return (run: string, record: readonly Kept[]): void => {
    const chainEnd = follow(origin(run), record);
    if (typeof chainEnd === "number")
      throw new TamperedError(run, `event ${chainEnd} does not match its hash`, file);
    const { seq } = selectLastSeq.get(run) as { seq: number | null };
    if (seq !== null) throw new ConflictError(run, 0, seq);
    const events = record.map(({ body }) => JSON.parse(body) as RunEvent);
    for (const event of events)
      if (event.type === "run.started") insertRun.run(run, projectOf(event.task.workspace), event.time);
    for (const kept of record) insert.run(run, kept.seq, kept.body, kept.hash);
    raiseCommandIds(lastCommand(events));
  };
}

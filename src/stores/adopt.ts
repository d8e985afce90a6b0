// Takes the record of a run over from another store, hash for hash.

import { projectOf } from "#rules/project";
import { ConflictError, TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Kept } from "#spec/store";
import type { Database } from "#system/sqlite";
import { follow, origin } from "./chain.ts";

/** The last command that the run has read: ids are given by the store, and the next one must be above it. */
export function lastCommand(events: readonly RunEvent[]): number {
  return Math.max(0, ...events.map((event) => (event.type === "command.received" ? event.queued.id : 0)));
}

export function adopter(database: Database, file: string) {
  const last = database.prepare("SELECT max(seq) AS seq FROM events WHERE run = ?");
  const insert = database.prepare("INSERT INTO events (run, seq, body, hash) VALUES (?, ?, ?, ?)");
  const insertRun = database.prepare("INSERT INTO runs (id, workspace, started_at) VALUES (?, ?, ?)");
  const highest = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'commands'");
  const take = database.prepare("INSERT INTO commands (id, run, body, hash) VALUES (?, '', '', '')");
  const free = database.prepare("DELETE FROM commands WHERE id = ?");

  /** An id that was given once is not given again. */
  const raise = (id: number): void => {
    const { seq } = (highest.get() as { seq: number } | undefined) ?? { seq: 0 };
    if (id <= seq) return;
    take.run(id);
    free.run(id);
  };

  return (run: string, record: readonly Kept[]): void => {
    const end = follow(origin(run), record);
    if (typeof end === "number") throw new TamperedError(run, `event ${end} is not what was written`, file);
    const { seq } = last.get(run) as { seq: number | null };
    if (seq !== null) throw new ConflictError(run, 0, seq);
    const events = record.map(({ body }) => JSON.parse(body) as RunEvent);
    for (const event of events)
      if (event.type === "run.started") insertRun.run(run, projectOf(event.task.workspace), event.time);
    for (const kept of record) insert.run(run, kept.seq, kept.body, kept.hash);
    raise(lastCommand(events));
  };
}

// What the SQLite file says about a run, believed only when it holds together: an agent of the same user can write to it.
import type { Queued } from "#spec/command";
import { TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { identityOf } from "#system/files";
import type { Database } from "#system/sqlite";
import { type Entry, follow, origin, type Point } from "./chain.ts";

interface StoredCommand {
  readonly id: number;
  readonly body: string;
  readonly hash: string;
}

export interface Verified {
  /** The events after `afterSeq`; the whole run is verified, unless that is a point which has been before. */
  events(run: string, afterSeq: number): readonly RunEvent[];
  /** All of them, as they are kept. */
  record(run: string): readonly Entry[];
  commands(run: string, afterId: number): readonly Queued[];
  /** The last event that was written or verified here must still be there. */
  lastKnown(run: string): Point | undefined;
  /** It is the last one that was written or verified here. */
  isKnown(run: string, point: Point): boolean;
  remember(run: string, point: Point): void;
  inItsPlace(run: string): void;
}

const parse = ({ body }: { readonly body: string }) => JSON.parse(body);

/** SQLite goes on with a file that was removed, while whoever opens the path finds another one, or none. */
function placeOf(file: string): () => string | undefined {
  const places = [file, `${file}-wal`, `${file}-shm`];
  const opened = places.map(identityOf);
  return () => places.find((place, index) => identityOf(place) !== opened[index]);
}

export function verified(database: Database, file: string): Verified {
  const hashAt = database.prepare("SELECT hash FROM events WHERE run = ? AND seq = ?");
  const after = database.prepare("SELECT seq, body, hash FROM events WHERE run = ? AND seq > ? ORDER BY seq");
  const listed = database.prepare("SELECT id FROM runs WHERE id = ?");
  const newer = database.prepare("SELECT id FROM commands WHERE run = ? AND id > ? LIMIT 1");
  const given = database.prepare("SELECT id, body, hash FROM commands WHERE run = ? ORDER BY id");
  const outOfPlace = placeOf(file);
  const known = new Map<string, Point>();

  const tampered = (run: string, what: string) => new TamperedError(run, what, file);

  const lastKnown = (run: string): Point | undefined => {
    const point = known.get(run);
    if (!point) return undefined;
    const row = hashAt.get(run, point.seq) as { hash: string } | undefined;
    if (row?.hash === point.hash) return point;
    throw tampered(run, `event ${point.seq} is ${row ? "not the one that was there" : "gone"}`);
  };

  const remember = (run: string, point: Point) => {
    if (point.seq > 0) known.set(run, point);
  };

  const entriesFrom = (run: string, from: Point): readonly Entry[] => {
    const entries = after.all(run, from.seq) as unknown as Entry[];
    const end = follow(from, entries);
    if (typeof end === "number") throw tampered(run, `event ${end} is not what was written`);
    remember(run, end);
    return entries;
  };

  const allCommands = (run: string): readonly StoredCommand[] => {
    const rows = given.all(run) as unknown as StoredCommand[];
    // Their ids are the store's, not the run's: only the order counts.
    const end = follow(
      origin(run),
      rows.map(({ body, hash }, index) => ({ seq: index + 1, body, hash })),
    );
    if (typeof end !== "number") return rows;
    throw tampered(run, `command ${rows[end - 1]?.id} in its inbox is not what was sent`);
  };

  /** Nothing of a run is given out unless all of it holds. */
  const whole = (run: string): readonly Entry[] => {
    const entries = entriesFrom(run, origin(run));
    allCommands(run);
    const first = entries[0];
    const isListed = listed.get(run) !== undefined;
    if (isListed && !first) throw tampered(run, "its events are gone");
    if (!isListed && first && parse(first).type === "run.started")
      throw tampered(run, "it is gone from the list of runs");
    return entries;
  };

  return {
    events: (run, afterSeq) => {
      const from = lastKnown(run);
      const entries = from && from.seq <= afterSeq ? entriesFrom(run, from) : whole(run);
      return entries.filter(({ seq }) => seq > afterSeq).map(parse);
    },
    record: whole,
    commands: (run, afterId) => {
      if (!newer.get(run, afterId)) return [];
      const rows = allCommands(run).filter(({ id }) => id > afterId);
      return rows.map((row) => ({ id: row.id, command: parse(row) }));
    },
    lastKnown,
    isKnown: (run, { seq, hash }) => known.get(run)?.seq === seq && known.get(run)?.hash === hash,
    remember,
    inItsPlace: (run) => {
      const place = outOfPlace();
      if (place) throw tampered(run, `${place} was removed or replaced while it was in use`);
    },
  };
}

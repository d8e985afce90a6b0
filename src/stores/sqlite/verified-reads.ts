// What the SQLite file says about a run, believed only when it holds together: an agent of the same user can write to it.
import type { Queued } from "#spec/command";
import { TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { identityOf } from "#system/files";
import type { Database } from "#system/sqlite";
import type { Entry, Point } from "../chain.ts";
import { belief, type StoredCommand } from "../verify-chain.ts";

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
  const held = belief(file);

  const lastKnown = (run: string): Point | undefined => {
    const point = held.known(run);
    if (point)
      held.stillThere(run, point, (hashAt.get(run, point.seq) as { hash: string } | undefined)?.hash);
    return point;
  };

  const entriesAfter = (run: string, seq: number) => after.all(run, seq) as unknown as Entry[];
  const commandsOf = (run: string) => given.all(run) as unknown as StoredCommand[];

  const since = (run: string, from: Point): readonly Entry[] => {
    const entries = entriesAfter(run, from.seq);
    held.entries(run, from, entries);
    return entries;
  };

  const whole = (run: string): readonly Entry[] => {
    const entries = entriesAfter(run, 0);
    held.whole(run, { entries, commands: commandsOf(run), isListed: listed.get(run) !== undefined });
    return entries;
  };

  return {
    events: (run, afterSeq) => {
      const from = lastKnown(run);
      const entries = from && from.seq <= afterSeq ? since(run, from) : whole(run);
      return entries.filter(({ seq }) => seq > afterSeq).map(parse);
    },
    record: whole,
    commands: (run, afterId) => {
      if (!newer.get(run, afterId)) return [];
      const commands = commandsOf(run);
      held.commands(run, commands);
      return commands.filter(({ id }) => id > afterId).map((row) => ({ id: row.id, command: parse(row) }));
    },
    lastKnown,
    isKnown: (run, { seq, hash }) => held.known(run)?.seq === seq && held.known(run)?.hash === hash,
    remember: held.remember,
    inItsPlace: (run) => {
      const place = outOfPlace();
      if (place) throw new TamperedError(run, `${place} was removed or replaced while it was in use`, file);
    },
  };
}

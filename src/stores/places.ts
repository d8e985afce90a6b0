// Maps imported runs to their local workspace. Kept outside the event log, which is append-only.
import { relocateEvent } from "#rules/relocate-run";
import { TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Database } from "#system/sqlite";
import { link, origin } from "./chain.ts";

export interface Place {
  readonly dir: string;
  readonly hash: string;
}

export const placeOf = (run: string, dir: string): Place => ({ dir, hash: link(origin(run).hash, dir) });

interface StoredPlace {
  readonly run: string;
  readonly place: Place | undefined;
  /** The store, for messages. */
  readonly store: string;
}

/** Returns the events with the workspace path replaced by the local one. */
export function relocateEvents(
  { run, place, store }: StoredPlace,
  events: readonly RunEvent[],
): readonly RunEvent[] {
  if (!place) return events;
  if (place.hash !== placeOf(run, place.dir).hash)
    throw new TamperedError(run, "the stored path of its workspace does not match its hash", store);
  return events.map((event) => relocateEvent(event, place.dir));
}

export function placesIn(database: Database, file: string) {
  const keep = database.prepare("INSERT OR REPLACE INTO places (run, dir, hash) VALUES (?, ?, ?)");
  const select = database.prepare("SELECT dir, hash FROM places WHERE run = ?");
  const rename = database.prepare("UPDATE runs SET workspace = ? WHERE id = ? AND workspace LIKE '/%'");
  return {
    keep: (run: string, dir: string): void => {
      keep.run(run, dir, placeOf(run, dir).hash);
      rename.run(dir, run);
    },
    relocate: (run: string, events: readonly RunEvent[]): readonly RunEvent[] =>
      relocateEvents({ run, place: select.get(run) as Place | undefined, store: file }, events),
  };
}

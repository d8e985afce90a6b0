// Runs that came from elsewhere, and where their workspaces lie here. Beside the record, which is never edited.

import { movedTo } from "#rules/relocate-run";
import { TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import type { Database } from "#system/sqlite";
import { link, origin } from "./chain.ts";

export interface Place {
  readonly dir: string;
  readonly hash: string;
}

export const placeOf = (run: string, dir: string): Place => ({ dir, hash: link(origin(run).hash, dir) });

/** The events of the run with its place here in them. */
export function atPlace(
  run: string,
  place: Place | undefined,
  events: readonly RunEvent[],
  store: string,
): readonly RunEvent[] {
  if (!place) return events;
  if (place.hash !== placeOf(run, place.dir).hash)
    throw new TamperedError(run, "its place is not what was told", store);
  return events.map((event) => movedTo(event, place.dir));
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
    applied: (run: string, events: readonly RunEvent[]): readonly RunEvent[] =>
      atPlace(run, select.get(run) as Place | undefined, events, file),
  };
}

// Runs that came from elsewhere, and where their workspaces lie here. Beside the record, which is never edited.
import { TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { movedTo } from "#spec/moved";
import type { Database } from "#system/sqlite";
import { link, origin } from "./chain.ts";

const hashOf = (run: string, dir: string): string => link(origin(run).hash, dir);

export function placesIn(database: Database, file: string) {
  const keep = database.prepare("INSERT OR REPLACE INTO places (run, dir, hash) VALUES (?, ?, ?)");
  const select = database.prepare("SELECT dir, hash FROM places WHERE run = ?");
  const rename = database.prepare("UPDATE runs SET workspace = ? WHERE id = ?");
  return {
    keep: (run: string, dir: string): void => {
      keep.run(run, dir, hashOf(run, dir));
      rename.run(dir, run);
    },
    /** The events of the run with its place here in them. */
    applied: (run: string, events: readonly RunEvent[]): readonly RunEvent[] => {
      const row = select.get(run) as { dir: string; hash: string } | undefined;
      if (!row) return events;
      if (row.hash !== hashOf(run, row.dir))
        throw new TamperedError(run, "its place is not what was told", file);
      return events.map((event) => movedTo(event, row.dir));
    },
  };
}

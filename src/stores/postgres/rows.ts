// What Postgres says about a run, of one moment and believed only when it holds together.
import type { Queued } from "#spec/command";
import { ConflictError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { type Entry, origin, type Point } from "../chain.ts";
import { atPlace, type Place } from "../places.ts";
import { type Belief, belief, type StoredCommand } from "../verify-chain.ts";
import type { Connection } from "./connection.ts";

/** From a point on that is known there are no commands in it. One statement, because one statement sees one moment. */
const OF_RUN = `
  SELECT 'event' AS kind, seq::bigint AS at, body, hash FROM converge.events WHERE run = $1 AND seq >= $2::integer
  UNION ALL SELECT 'command', id, body, hash FROM converge.commands WHERE run = $1 AND $2::integer = 0
  UNION ALL SELECT 'run', 0, '', '' FROM converge.runs WHERE id = $1
  UNION ALL SELECT 'place', 0, dir, hash FROM converge.places WHERE run = $1
  ORDER BY kind, at`;

const INBOX = `
  SELECT id, body, hash FROM converge.commands
  WHERE run = $1 AND EXISTS (SELECT FROM converge.commands WHERE run = $1 AND id > $2) ORDER BY id`;

interface Row {
  readonly kind: "event" | "command" | "run" | "place";
  /** As `pg` gives numbers of 64 bits. */
  readonly at: string;
  readonly body: string;
  readonly hash: string;
}

interface Rows {
  readonly entries: readonly Entry[];
  readonly commands: readonly StoredCommand[];
  readonly isListed: boolean;
  readonly place?: Place;
}

function sorted(rows: readonly Row[]): Rows {
  const of = (kind: Row["kind"]) => rows.filter((row) => row.kind === kind);
  const [place] = of("place");
  return {
    entries: of("event").map(({ at, body, hash }) => ({ seq: Number(at), body, hash })),
    commands: of("command").map(({ at, body, hash }) => ({ id: Number(at), body, hash })),
    isListed: of("run").length > 0,
    ...(place && { place: { dir: place.body, hash: place.hash } }),
  };
}

const parse = ({ body }: { readonly body: string }) => JSON.parse(body);

export interface VerifiedRows {
  /** The events after `afterSeq`; the whole run is verified, unless that is a point which has been before. */
  events(run: string, afterSeq: number): Promise<readonly RunEvent[]>;
  /** All of them, as they are kept. */
  record(run: string): Promise<readonly Entry[]>;
  commands(run: string, afterId: number): Promise<readonly Queued[]>;
  /** Where a writer that knows of events up to `seq` goes on; ConflictError when the run is elsewhere. */
  end(run: string, seq: number): Promise<Point>;
  /** Why a writer was refused, to be thrown. */
  refusal(run: string, seq: number): Promise<Error>;
  remember: Belief["remember"];
}

export function verifiedRows({ use, place: store }: Connection): VerifiedRows {
  const held = belief(store);

  const rowsOf = async (run: string, fromSeq: number): Promise<Rows> =>
    sorted(await use((query) => query<Row>(OF_RUN, [run, fromSeq])));

  const since = async (run: string, from: Point): Promise<Rows> => {
    const rows = await rowsOf(run, from.seq);
    const [there, ...entries] = rows.entries;
    held.stillThere(run, from, there?.seq === from.seq ? there.hash : undefined);
    held.entries(run, from, entries);
    return { ...rows, entries };
  };

  const whole = async (run: string): Promise<Rows> => {
    // What becomes known while we wait for the answer may not be in it.
    const known = held.known(run);
    const rows = await rowsOf(run, 0);
    if (known) held.stillThere(run, known, rows.entries.find(({ seq }) => seq === known.seq)?.hash);
    held.whole(run, rows);
    return rows;
  };

  const events = async (run: string, afterSeq: number) => {
    const known = held.known(run);
    const { entries, place } = await (known && known.seq <= afterSeq ? since(run, known) : whole(run));
    const asked = entries.filter(({ seq }) => seq > afterSeq).map(parse);
    return atPlace(run, place, asked, store);
  };

  /** Events of another writer hold together; those of somebody who only knows SQL do not. */
  const refusal = async (run: string, seq: number) => {
    await events(run, seq);
    return new ConflictError(run, seq, held.known(run)?.seq ?? 0);
  };

  return {
    events,
    record: async (run) => (await whole(run)).entries,
    commands: async (run, afterId) => {
      const rows = await use((query) =>
        query<Omit<Row, "kind" | "at"> & { id: string }>(INBOX, [run, afterId]),
      );
      const commands = rows.map((row) => ({ ...row, id: Number(row.id) }));
      held.commands(run, commands);
      return commands.filter(({ id }) => id > afterId).map((row) => ({ id: row.id, command: parse(row) }));
    },
    end: async (run, seq) => {
      const known = held.known(run);
      if (known?.seq === seq) return known;
      if (!known && seq === 0) return origin(run);
      const error = await refusal(run, seq);
      const found = held.known(run) ?? origin(run);
      if (found.seq === seq) return found;
      throw error;
    },
    refusal,
    remember: held.remember,
  };
}

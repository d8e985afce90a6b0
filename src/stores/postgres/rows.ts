// Reads a run from Postgres in one consistent snapshot and verifies its hash chain.
import type { Queued } from "#spec/command";
import { ConflictError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { type Entry, origin, type Point } from "../chain.ts";
import { type Place, relocateEvents } from "../places.ts";
import { type ChainVerifier, chainVerifier, type StoredCommand } from "../verify-chain.ts";
import type { Connection } from "./connection.ts";

/** After a known point, commands are left out. A single statement, because that sees one consistent snapshot. */
const SELECT_RUN = `
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
  /** `pg` returns 64-bit integers as text. */
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

function groupRows(rows: readonly Row[]): Rows {
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
  /** The events after `afterSeq`. Verifies the whole run, unless `afterSeq` is at or after a point verified before. */
  events(run: string, afterSeq: number): Promise<readonly RunEvent[]>;
  /** All entries as stored. */
  record(run: string): Promise<readonly Entry[]>;
  commands(run: string, afterId: number): Promise<readonly Queued[]>;
  /** The chain position where a writer that knows events up to `seq` continues; ConflictError when the run has other events. */
  end(run: string, seq: number): Promise<Point>;
  /** The error for a rejected write. */
  refusal(run: string, seq: number): Promise<Error>;
  remember: ChainVerifier["remember"];
}

interface RunReader {
  /** Reads the entries after a point verified before. */
  readSince(run: string, from: Point): Promise<Rows>;
  readWhole(run: string): Promise<Rows>;
}

function runReader({ use }: Connection, verifier: ChainVerifier): RunReader {
  const readRows = async (run: string, fromSeq: number): Promise<Rows> =>
    groupRows(await use((query) => query<Row>(SELECT_RUN, [run, fromSeq])));
  return {
    readSince: async (run, from) => {
      const rows = await readRows(run, from.seq);
      const [anchor, ...entries] = rows.entries;
      verifier.verifyPoint(run, from, anchor?.seq === from.seq ? anchor.hash : undefined);
      verifier.verifyEntries(run, from, entries);
      return { ...rows, entries };
    },
    readWhole: async (run) => {
      // Take the known point before the query: a later one may not be in the answer.
      const known = verifier.known(run);
      const rows = await readRows(run, 0);
      if (known) verifier.verifyPoint(run, known, rows.entries.find(({ seq }) => seq === known.seq)?.hash);
      verifier.verifyWhole(run, rows);
      return rows;
    },
  };
}

export function verifiedRows(connection: Connection): VerifiedRows {
  const { use, place: store } = connection;
  const verifier = chainVerifier(store);
  const { readSince, readWhole } = runReader(connection, verifier);

  const events = async (run: string, afterSeq: number) => {
    const known = verifier.known(run);
    const { entries, place } = await (known && known.seq <= afterSeq
      ? readSince(run, known)
      : readWhole(run));
    const newer = entries.filter(({ seq }) => seq > afterSeq).map(parse);
    return relocateEvents({ run, place, store }, newer);
  };

  /** Events of another Converge process have valid hashes; those inserted by plain SQL do not. */
  const refusal = async (run: string, seq: number) => {
    await events(run, seq);
    return new ConflictError(run, seq, verifier.known(run)?.seq ?? 0);
  };

  return {
    events,
    record: async (run) => (await readWhole(run)).entries,
    commands: async (run, afterId) => {
      const rows = await use((query) =>
        query<Omit<Row, "kind" | "at"> & { id: string }>(INBOX, [run, afterId]),
      );
      const commands = rows.map((row) => ({ ...row, id: Number(row.id) }));
      verifier.verifyCommands(run, commands);
      return commands.filter(({ id }) => id > afterId).map((row) => ({ id: row.id, command: parse(row) }));
    },
    end: async (run, seq) => {
      const known = verifier.known(run);
      if (known?.seq === seq) return known;
      if (!known && seq === 0) return origin(run);
      const error = await refusal(run, seq);
      const end = verifier.known(run) ?? origin(run);
      if (end.seq === seq) return end;
      throw error;
    },
    refusal,
    remember: verifier.remember,
  };
}

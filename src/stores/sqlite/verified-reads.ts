// Reads a run from SQLite and verifies its hash chain. An agent running as the same user can edit the file, so nothing is
// trusted unverified.
import type { Queued } from "#spec/command";
import { TamperedError } from "#spec/errors";
import type { RunEvent } from "#spec/event";
import { identityOf } from "#system/files";
import type { Database } from "#system/sqlite";
import type { Entry, Point } from "../chain.ts";
import { chainVerifier, type StoredCommand } from "../verify-chain.ts";

export interface VerifiedReads {
  /** The events after `afterSeq`. Verifies the whole run, unless `afterSeq` is at or after a point verified before. */
  events(run: string, afterSeq: number): readonly RunEvent[];
  /** All entries as stored. */
  record(run: string): readonly Entry[];
  commands(run: string, afterId: number): readonly Queued[];
  /** The last event written or verified by this process; throws when it is no longer there. */
  lastKnown(run: string): Point | undefined;
  /** Whether the point is the last one written or verified by this process. */
  isKnown(run: string, point: Point): boolean;
  remember(run: string, point: Point): void;
  verifyFileInPlace(run: string): void;
}

const parse = ({ body }: { readonly body: string }) => JSON.parse(body);

/** Detects a deleted or replaced file: SQLite keeps using the old inode, while other processes open a new file, or none. */
function watchFiles(file: string): () => string | undefined {
  const files = [file, `${file}-wal`, `${file}-shm`];
  const identities = files.map(identityOf);
  return () => files.find((place, index) => identityOf(place) !== identities[index]);
}

/** The queries, unverified. */
function queries(database: Database) {
  const selectHash = database.prepare("SELECT hash FROM events WHERE run = ? AND seq = ?");
  const selectAfter = database.prepare(
    "SELECT seq, body, hash FROM events WHERE run = ? AND seq > ? ORDER BY seq",
  );
  const selectRun = database.prepare("SELECT id FROM runs WHERE id = ?");
  const selectNewer = database.prepare("SELECT id FROM commands WHERE run = ? AND id > ? LIMIT 1");
  const selectCommands = database.prepare("SELECT id, body, hash FROM commands WHERE run = ? ORDER BY id");
  return {
    hashAt: (run: string, seq: number) => (selectHash.get(run, seq) as { hash: string } | undefined)?.hash,
    entriesAfter: (run: string, seq: number) => selectAfter.all(run, seq) as unknown as Entry[],
    isListed: (run: string) => selectRun.get(run) !== undefined,
    hasCommandAfter: (run: string, id: number) => selectNewer.get(run, id) !== undefined,
    commandsOf: (run: string) => selectCommands.all(run) as unknown as StoredCommand[],
  };
}

export function verifiedReads(database: Database, file: string): VerifiedReads {
  const { hashAt, entriesAfter, isListed, hasCommandAfter, commandsOf } = queries(database);
  const findReplacedFile = watchFiles(file);
  const verifier = chainVerifier(file);

  const lastKnown = (run: string): Point | undefined => {
    const point = verifier.known(run);
    if (point) verifier.verifyPoint(run, point, hashAt(run, point.seq));
    return point;
  };

  const readSince = (run: string, from: Point): readonly Entry[] => {
    const entries = entriesAfter(run, from.seq);
    verifier.verifyEntries(run, from, entries);
    return entries;
  };

  const readWhole = (run: string): readonly Entry[] => {
    const entries = entriesAfter(run, 0);
    verifier.verifyWhole(run, { entries, commands: commandsOf(run), isListed: isListed(run) });
    return entries;
  };

  return {
    events: (run, afterSeq) => {
      const from = lastKnown(run);
      const entries = from && from.seq <= afterSeq ? readSince(run, from) : readWhole(run);
      return entries.filter(({ seq }) => seq > afterSeq).map(parse);
    },
    record: readWhole,
    commands: (run, afterId) => {
      if (!hasCommandAfter(run, afterId)) return [];
      const commands = commandsOf(run);
      verifier.verifyCommands(run, commands);
      return commands.filter(({ id }) => id > afterId).map((row) => ({ id: row.id, command: parse(row) }));
    },
    lastKnown,
    isKnown: (run, { seq, hash }) => verifier.known(run)?.seq === seq && verifier.known(run)?.hash === hash,
    remember: verifier.remember,
    verifyFileInPlace: (run) => {
      const place = findReplacedFile();
      if (place) throw new TamperedError(run, `${place} was removed or replaced while it was in use`, file);
    },
  };
}

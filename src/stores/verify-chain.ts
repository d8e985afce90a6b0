// Verifies the stored rows of a run, for every store: other processes can write to it.
import { TamperedError } from "#spec/errors";
import { type Entry, follow, origin, type Point } from "./chain.ts";

export interface StoredCommand {
  readonly id: number;
  readonly body: string;
  readonly hash: string;
}

/** Everything stored of a run, read in one consistent snapshot. */
export interface WholeRun {
  readonly entries: readonly Entry[];
  readonly commands: readonly StoredCommand[];
  readonly isListed: boolean;
}

/** Each verify method throws TamperedError when something differs from what was written. */
export interface ChainVerifier {
  /** The last event of the run that this process wrote or verified. */
  known(run: string): Point | undefined;
  remember(run: string, point: Point): void;
  /** `hash` is the stored hash at a point that was known before. */
  verifyPoint(run: string, point: Point, hash: string | undefined): void;
  /** Checks that the entries continue the chain after `from`, and remembers their end. */
  verifyEntries(run: string, from: Point, entries: readonly Entry[]): void;
  verifyCommands(run: string, commands: readonly StoredCommand[]): void;
  /** Checks the whole run: nothing of a run is returned unless all of it is valid. */
  verifyWhole(run: string, whole: WholeRun): void;
}

export function chainVerifier(place: string): ChainVerifier {
  const points = new Map<string, Point>();
  const tampered = (run: string, what: string) => new TamperedError(run, what, place);

  const remember = (run: string, point: Point) => {
    // A read that started before a write may finish after it: never go back.
    if (point.seq > (points.get(run)?.seq ?? 0)) points.set(run, point);
  };

  const verifyEntries: ChainVerifier["verifyEntries"] = (run, from, entries) => {
    const end = follow(from, entries);
    if (typeof end === "number") throw tampered(run, `event ${end} does not match its hash`);
    remember(run, end);
  };

  const verifyCommands: ChainVerifier["verifyCommands"] = (run, commands) => {
    // Command ids belong to the store, not to the run: only their order counts.
    const end = follow(
      origin(run),
      commands.map(({ body, hash }, index) => ({ seq: index + 1, body, hash })),
    );
    if (typeof end === "number")
      throw tampered(run, `command ${commands[end - 1]?.id} in its inbox does not match its hash`);
  };

  return {
    known: (run) => points.get(run),
    remember,
    verifyPoint: (run, { seq, hash }, stored) => {
      if (stored === hash) return;
      throw tampered(
        run,
        `event ${seq} is ${stored === undefined ? "gone" : "different from the one verified before"}`,
      );
    },
    verifyEntries,
    verifyCommands,
    verifyWhole: (run, { entries, commands, isListed }) => {
      verifyEntries(run, origin(run), entries);
      verifyCommands(run, commands);
      const first = entries[0];
      if (isListed && !first) throw tampered(run, "its events are missing");
      if (!isListed && first && JSON.parse(first.body).type === "run.started")
        throw tampered(run, "it is missing in the list of runs");
    },
  };
}

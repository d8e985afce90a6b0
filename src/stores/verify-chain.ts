// What the rows of a run must be to be believed, wherever they are kept: whoever can reach the store can write to it.
import { TamperedError } from "#spec/errors";
import { type Entry, follow, origin, type Point } from "./chain.ts";

export interface StoredCommand {
  readonly id: number;
  readonly body: string;
  readonly hash: string;
}

/** All that is kept of a run, of one moment. */
export interface Whole {
  readonly entries: readonly Entry[];
  readonly commands: readonly StoredCommand[];
  readonly isListed: boolean;
}

/** Each of them throws TamperedError when something is not as it was written. */
export interface Belief {
  /** The last event of the run that was written or verified here. */
  known(run: string): Point | undefined;
  remember(run: string, point: Point): void;
  /** `hash` is what is found now at a point that was known before. */
  stillThere(run: string, point: Point, hash: string | undefined): void;
  /** The entries follow from the point; their end is remembered. */
  entries(run: string, from: Point, entries: readonly Entry[]): void;
  commands(run: string, commands: readonly StoredCommand[]): void;
  /** Nothing of a run is given out unless all of it holds. */
  whole(run: string, whole: Whole): void;
}

export function belief(place: string): Belief {
  const points = new Map<string, Point>();
  const tampered = (run: string, what: string) => new TamperedError(run, what, place);

  const remember = (run: string, point: Point) => {
    // A read that began before a write may end after it.
    if (point.seq > (points.get(run)?.seq ?? 0)) points.set(run, point);
  };

  const entriesHold: Belief["entries"] = (run, from, entries) => {
    const end = follow(from, entries);
    if (typeof end === "number") throw tampered(run, `event ${end} is not what was written`);
    remember(run, end);
  };

  const commandsHold: Belief["commands"] = (run, commands) => {
    // Their ids are the store's, not the run's: only the order counts.
    const end = follow(
      origin(run),
      commands.map(({ body, hash }, index) => ({ seq: index + 1, body, hash })),
    );
    if (typeof end === "number")
      throw tampered(run, `command ${commands[end - 1]?.id} in its inbox is not what was sent`);
  };

  return {
    known: (run) => points.get(run),
    remember,
    stillThere: (run, { seq, hash }, found) => {
      if (found === hash) return;
      throw tampered(run, `event ${seq} is ${found === undefined ? "gone" : "not the one that was there"}`);
    },
    entries: entriesHold,
    commands: commandsHold,
    whole: (run, { entries, commands, isListed }) => {
      entriesHold(run, origin(run), entries);
      commandsHold(run, commands);
      const first = entries[0];
      if (isListed && !first) throw tampered(run, "its events are gone");
      if (!isListed && first && JSON.parse(first.body).type === "run.started")
        throw tampered(run, "it is gone from the list of runs");
    },
  };
}

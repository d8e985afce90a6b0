// What is done about a run that goes in circles: it is told once to take another way, gets time for it, and is then ended.
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";
import { oneLine, quoted } from "#spec/text";

export interface Circle {
  /** What goes in circles, as a clause. */
  readonly what: string;
  /** Tests that fail in it, as far as they have names. */
  readonly failing: readonly string[];
  /** Names the state, where the strategy does. */
  readonly hash?: string;
}

/** Iterations that it gets to find another way. */
const PATIENCE = 2;
const NAMED = 10;
const NAME_CHARS = 200;

export function inWords(numbers: readonly number[]): string {
  return `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

/** The iteration after which the run was told. */
function toldAt({ iterations }: Run): number | undefined {
  return iterations.find(({ decision }) => decision?.metadata?.chance === "steered")?.number;
}

/** Undefined while it has been told and still has time. */
export function outOf(circle: Circle, run: Run): Decision | undefined {
  const told = toldAt(run);
  if (told === undefined) return steer(circle);
  return run.iterations.length - told < PATIENCE ? undefined : stuckIn(circle, run);
}

function steer({ what, failing, hash }: Circle): Decision {
  const names = failing.slice(0, NAMED).map((name) => oneLine(name, NAME_CHARS));
  const still = names.length === 0 ? "" : `\nStill failing:\n${quoted(names.join("\n"))}`;
  return {
    continue: true,
    reason: `${what}: told once to take another way`,
    confidence: 0.6,
    feedback: `You go in circles: ${what}. Name the assumption behind what you do, drop it, and take a different approach.${still}`,
    metadata: { chance: "steered", ...(hash && { hash }) },
  };
}

export function stuckIn({ what, hash }: Circle, run: Run): Decision {
  const after = toldAt(run) === undefined ? "" : ", also after it was told to take another way";
  return {
    continue: false,
    reason: `stuck: ${what}${after}`,
    confidence: 0.9,
    ...(hash && { metadata: { hash } }),
  };
}

// Handles a run that goes in circles: tells the agent once to change its approach, then ends the run as stuck.
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";
import { oneLine, quoted } from "#text/plain-text";
import { iterationsSinceResume } from "./worked.ts";

export interface Circle {
  /** Describes the circle, as a clause. */
  readonly what: string;
  /** Names of the tests that fail in it. */
  readonly failing: readonly string[];
}

const MAX_NAMES = 10;
const NAME_CHARS = 200;

export function joinNumbers(numbers: readonly number[]): string {
  return `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

function wasSteered(run: Run): boolean {
  return iterationsSinceResume(run).some(({ decision }) => decision?.metadata?.chance === "steered");
}

/** Steers the agent the first time; a later circle ends the run. */
export function breakCircle(circle: Circle, run: Run): Decision {
  return wasSteered(run) ? endAsStuck(circle) : steer(circle);
}

function steer({ what, failing }: Circle): Decision {
  const names = failing.slice(0, MAX_NAMES).map((name) => oneLine(name, NAME_CHARS));
  const still = names.length === 0 ? "" : `\nStill failing:\n${quoted(names.join("\n"))}`;
  return {
    continue: true,
    reason: `${what}: the agent is told once to change its approach`,
    confidence: 0.6,
    feedback: `You go in circles: ${what}. Name the assumption behind what you do, drop it, and take a different approach.${still}`,
    metadata: { chance: "steered" },
  };
}

function endAsStuck({ what }: Circle): Decision {
  const reason = `stuck: ${what}, even after the agent was told to change its approach`;
  return { continue: false, reason, confidence: 0.9 };
}

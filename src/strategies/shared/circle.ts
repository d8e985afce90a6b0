// Handles a run that goes in circles: tells the agent once to take another way, then ends the run as stuck.
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";
import { oneLine, quoted } from "#text/plain-text";
import { iterationsSinceResume } from "./worked.ts";

export interface Circle {
  /** What goes in circles, as a clause. */
  readonly what: string;
  /** Tests that fail in it, as far as they have names. */
  readonly failing: readonly string[];
}

const NAMED = 10;
const NAME_CHARS = 200;

export function inWords(numbers: readonly number[]): string {
  return `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

function wasTold(run: Run): boolean {
  return iterationsSinceResume(run).some(({ decision }) => decision?.metadata?.chance === "steered");
}

/** Tells the agent the first time; a circle after that ends the run. */
export function breakCircle(circle: Circle, run: Run): Decision {
  return wasTold(run) ? stuckIn(circle) : steer(circle);
}

function steer({ what, failing }: Circle): Decision {
  const names = failing.slice(0, NAMED).map((name) => oneLine(name, NAME_CHARS));
  const still = names.length === 0 ? "" : `\nStill failing:\n${quoted(names.join("\n"))}`;
  return {
    continue: true,
    reason: `${what}: the agent is told once to take another way`,
    confidence: 0.6,
    feedback: `You go in circles: ${what}. Name the assumption behind what you do, drop it, and take a different approach.${still}`,
    metadata: { chance: "steered" },
  };
}

function stuckIn({ what }: Circle): Decision {
  const reason = `stuck: ${what}, also after the agent was told to take another way`;
  return { continue: false, reason, confidence: 0.9 };
}

// One more chance before a run is given up: told once what goes wrong, or sent back once to its best files, with a fresh mind.
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";
import { oneLine, quoted } from "#spec/text";
import type { Cycle } from "./cycle.ts";

type Chance = "steered" | "restarted";

/** Whether the run has had that chance already. */
export function hadChance(run: Run, chance: Chance): boolean {
  return run.iterations.some(({ decision }) => decision?.metadata?.chance === chance);
}

const NAMED = 10;
const NAME_CHARS = 200;

function listed(numbers: readonly number[]): string {
  return `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

export function steer({ iterations, failing }: Cycle): Decision {
  const names = failing.slice(0, NAMED).map((name) => oneLine(name, NAME_CHARS));
  const still = names.length === 0 ? "" : `\nStill failing:\n${quoted(names.join("\n"))}`;
  return {
    continue: true,
    reason: `iterations ${listed(iterations)} left the same files and the same failures: told once to take another way`,
    confidence: 0.6,
    feedback: `Iterations ${listed(iterations)} left the same files and the same failures. What you do goes in circles: name the assumption behind it, drop it, and take a different approach.${still}`,
    metadata: { chance: "steered" },
  };
}

export function stuckIn({ iterations }: Cycle): Decision {
  return {
    continue: false,
    reason: `stuck: iterations ${listed(iterations)} left the same files and the same failures, also after it was told to take another way`,
    confidence: 0.95,
  };
}

/** Back to the best files with a new session of the agent, for once; `why` is why it would have been given up. */
export function startAfresh(iteration: number, why: string): Decision {
  const where = iteration === 0 ? "the base" : `iteration ${iteration}`;
  return {
    continue: true,
    rollbackTo: iteration,
    fresh: true,
    reason: `one fresh start from ${where} before giving up: ${why}`,
    confidence: 0.5,
    feedback: `The last iterations led nowhere. The files are back at the best state there was (${where}). Start afresh from there, and do not repeat what was tried.`,
    metadata: { chance: "restarted" },
  };
}

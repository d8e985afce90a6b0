// `hybrid` with numbers: base iterations, then bonus iterations while each improves the best score by a threshold.

import { hybridNumbers } from "#rules/iteration-limit";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { isLastIteration, usedUp } from "./shared/last-iteration.ts";

export interface NumberOptions {
  readonly baseIterations?: number;
  readonly bonusIterations?: number;
  /** Least rise of the score over the best before that earns a bonus iteration. */
  readonly progressThreshold?: number;
}

type Numbers = Required<NumberOptions>;

/** Undefined when no number was given. */
export function numbersOf(options: NumberOptions): Numbers | undefined {
  const counts = hybridNumbers(options);
  return counts && { progressThreshold: 0.1, ...options, ...counts };
}

/** The task's limit is base and bonus together, or what a resume granted. */
export function spendNumbers(numbers: Numbers, run: Run, { number, score }: Iteration): Decision {
  const { baseIterations, progressThreshold } = numbers;
  const most = run.task.limits.iterations;
  if (isLastIteration(run)) return usedUp(run);
  if (number - (run.reopenedAt ?? 0) < baseIterations)
    return { continue: true, reason: `on to iteration ${number + 1} of ${most}`, confidence: 1 };
  const rise = score === undefined ? undefined : score - bestBefore(run, number);
  // The slack is for sums like 0.3 - 0.2, which fall short of 0.1.
  if (rise !== undefined && rise >= progressThreshold - 1e-9) {
    const reason = `on to bonus iteration ${number + 1} of ${most}: ${describeRise(rise)}`;
    return { continue: true, reason, confidence: 0.8 };
  }
  const reason = `${describeRise(rise)} in iteration ${number}, and a bonus iteration needs ${progressThreshold} (progressThreshold)`;
  return { continue: false, reason, confidence: 0.7 };
}

// Where nothing was scored before, the first score counts as a rise from nothing.
function bestBefore(run: Run, number: number): number {
  const before = [run.baseline, ...run.iterations].filter((iteration) => iteration.number < number);
  return Math.max(0, ...before.map((iteration) => iteration.score ?? 0));
}

function describeRise(rise: number | undefined): string {
  if (rise === undefined) return "there was no score";
  return rise > 0 ? `the score rose by ${Number(rise.toPrecision(2))}` : "the score did not rise";
}

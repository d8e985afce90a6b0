// `hybrid` with numbers: base iterations, then bonus iterations while each improves the best score by a threshold.

import { hybridNumbers } from "#rules/iteration-limit";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { isLastIteration, usedUp } from "./shared/last-iteration.ts";

export interface NumberOptions {
  readonly baseIterations?: number;
  readonly bonusIterations?: number;
  /** Minimum rise over the best earlier score that earns a bonus iteration. */
  readonly progressThreshold?: number;
}

type Numbers = Required<NumberOptions>;

/** Undefined when the options contain no number. */
export function numbersOf(options: NumberOptions): Numbers | undefined {
  const counts = hybridNumbers(options);
  return counts && { progressThreshold: 0.1, ...options, ...counts };
}

/** The task's limit is base plus bonus, or the limit of a resume. */
export function spendNumbers(numbers: Numbers, run: Run, { number, score }: Iteration): Decision {
  const { baseIterations, progressThreshold } = numbers;
  const limit = run.task.limits.iterations;
  if (isLastIteration(run)) return usedUp(run);
  if (number - (run.reopenedAt ?? 0) < baseIterations)
    return { continue: true, reason: `on to iteration ${number + 1} of ${limit}`, confidence: 1 };
  const rise = score === undefined ? undefined : score - bestBefore(run, number);
  // The tolerance covers differences like 0.3 - 0.2, which is slightly below 0.1.
  if (rise !== undefined && rise >= progressThreshold - 1e-9) {
    const reason = `on to bonus iteration ${number + 1} of ${limit}: ${describeRise(rise)}`;
    return { continue: true, reason, confidence: 0.8 };
  }
  const reason = `${describeRise(rise)} in iteration ${number}, and a bonus iteration needs ${progressThreshold} (progressThreshold)`;
  return { continue: false, reason, confidence: 0.7 };
}

// Without an earlier score, the first one counts as a rise from 0.
function bestBefore(run: Run, number: number): number {
  const before = [run.baseline, ...run.iterations].filter((iteration) => iteration.number < number);
  return Math.max(0, ...before.map((iteration) => iteration.score ?? 0));
}

function describeRise(rise: number | undefined): string {
  if (rise === undefined) return "no gate gave a score";
  return rise > 0 ? `the score rose by ${Number(rise.toPrecision(2))}` : "the score did not rise";
}

// Runs up to the task's iteration limit, unless the gates pass earlier.
import type { Strategy } from "#spec/strategy";
import { isLastIteration, usedUp } from "./shared/last-iteration.ts";
import { whileRed } from "./shared/while-red.ts";

export interface FixedOptions {
  /** Becomes the task's limit when the task is read. */
  readonly iterations?: number;
}

export function fixed(): Strategy {
  return whileRed((run, { number }) => {
    if (isLastIteration(run)) return usedUp(run);
    const reason = `on to iteration ${number + 1} of ${run.task.limits.iterations}`;
    return { continue: true, reason, confidence: 1 };
  });
}

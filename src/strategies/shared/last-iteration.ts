// Ends a run that has reached its iteration limit. Every strategy shares this rule.

import { iterationLimitReason } from "#rules/iteration-limit";
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";

export function isLastIteration({ iterations, task }: Run): boolean {
  return iterations.length >= task.limits.iterations;
}

export function usedUp(run: Run): Decision {
  return { continue: false, reason: iterationLimitReason(run.task.limits.iterations), confidence: 1 };
}

// One number for an iteration: the weighted mean of its gates' scores.
import type { Judged } from "#spec/run";
import type { GateSpec } from "#spec/task";

/** Ignores skipped and waiting gates, which have not judged; an errored gate counts. */
export function overallScore(verdicts: readonly Judged[], gates: readonly GateSpec[]): number | undefined {
  let sum = 0;
  let weights = 0;
  for (const { gate, verdict } of verdicts) {
    if (verdict.status === "skipped" || verdict.status === "waiting") continue;
    const weight = gates.find((spec) => spec.name === gate)?.policy.weight ?? 1;
    sum += weight * verdict.score;
    weights += weight;
  }
  return weights > 0 ? sum / weights : undefined;
}

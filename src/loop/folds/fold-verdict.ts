// Folds a gate's verdict into its iteration, and scores the iteration once every gate has judged.
import type { EventOf } from "#spec/event";
import type { Iteration, Judged, Run } from "#spec/run";
import type { GateSpec } from "#spec/task";
import { amendIteration, unpark } from "./amend.ts";

/** Weighted mean of the gates' scores. Ignores skipped and waiting gates, which have not judged; errored ones count. */
function overallScore(verdicts: readonly Judged[], gates: readonly GateSpec[]): number | undefined {
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

export function foldVerdict(run: Run, event: EventOf<"gate.judged">): Run {
  const { gate, verdict, time } = event;
  const withVerdict = (iteration: Iteration): Iteration => {
    const verdicts = [...iteration.verdicts.filter((one) => one.gate !== gate), { gate, verdict }];
    // A score needs every gate's verdict: an interrupted iteration must not rank above complete ones.
    const isComplete = run.task.gates.every(({ name }) => verdicts.some((one) => one.gate === name));
    const score = isComplete ? overallScore(verdicts, run.task.gates) : undefined;
    const asked = verdict.status === "waiting" ? { [gate]: time, ...iteration.asked } : iteration.asked;
    return { ...iteration, verdicts, asked, ...(score !== undefined && { score }) };
  };
  // A parked run continues when a gate no longer waits.
  return unpark(amendIteration(run, event.iteration, withVerdict));
}

// Marks an iteration as lost when its worker died before taking the snapshot, so that it runs again.
import type { EventBody } from "#spec/event";
import type { Run } from "#spec/run";

/** The event that marks it; undefined when nothing is lost. The new workspace comes from the last snapshot. */
export function lostIteration(run: Run): EventBody | undefined {
  const current = run.iterations.at(-1);
  const tree = run.tree ?? current?.from;
  if (!current?.agent || current.snapshot || current.decision || tree === undefined) return undefined;
  const reason = "the run was cut off before the agent's files were kept";
  return { type: "iteration.interrupted", iteration: current.number, tree, reason };
}

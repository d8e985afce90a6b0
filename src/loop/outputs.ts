// Outputs: untracked files that gates write. They are no part of the work, so snapshots leave them out.
import type { EventBody } from "#spec/event";
import { verdictOf } from "#spec/holds";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";

function treesOf(run: Run): string[] {
  const all = [run.baseline, ...run.iterations];
  const trees = all.flatMap(({ snapshot, from }) => [snapshot?.tree, from]);
  return [...trees, run.tree].filter((tree) => tree !== undefined);
}

/** Looks for outputs after the last gate of an iteration has judged, before its verdict is told: a kill in between loses nothing. */
export async function* seeOutputs(
  run: Run,
  iteration: Iteration,
  gate: string,
  ports: Ports,
): AsyncGenerator<EventBody> {
  const isLast = run.task.gates.every(({ name }) => name === gate || verdictOf(iteration, name));
  if (!isLast) return;
  const { number } = iteration;
  const request = { known: run.outputs ?? [], isBaseline: number === 0, trees: treesOf(run) };
  const { paths, trees } = await ports.workspace.findOutputs(request);
  if (paths.length > 0) yield { type: "outputs.seen", iteration: number, paths, trees };
}

/** Outputs that the agent has changed are its work. */
export async function* reclaimOutputs(run: Run, number: number, ports: Ports): AsyncGenerator<EventBody> {
  const captured = run.outputs?.length ? await ports.workspace.reclaimOutputs(run.outputs) : [];
  if (captured.length > 0) yield { type: "outputs.seen", iteration: number, paths: [], captured };
}

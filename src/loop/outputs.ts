// Outputs: untracked files that gates write. Snapshots exclude them, because they are not the agent's work.
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";

function treesOf(run: Run): string[] {
  const all = [run.baseline, ...run.iterations];
  const trees = all.flatMap(({ snapshot, from, tampering }) => [snapshot?.tree, from, tampering?.tree]);
  return [...trees, run.tree].filter((tree) => tree !== undefined);
}

/** Runs before the last verdict of an iteration is recorded, so that a kill in between loses nothing. */
export async function* seeOutputs(
  run: Run,
  { number }: Iteration,
  besides: readonly string[],
  ports: Ports,
): AsyncGenerator<EventBody> {
  const request = { isBaseline: number === 0, trees: treesOf(run), besides };
  const { paths, trees } = await ports.workspace.findOutputs(request);
  if (paths.length > 0) yield { type: "outputs.seen", iteration: number, paths, trees };
}

/** Captures outputs that the agent has changed: they are its work now. */
export async function* reclaimOutputs(number: number, ports: Ports): AsyncGenerator<EventBody> {
  const captured = await ports.workspace.reclaimOutputs();
  if (captured.length > 0) yield { type: "outputs.seen", iteration: number, paths: [], captured };
}

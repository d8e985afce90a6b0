// Folds the outputs of gates into a run, and replaces its trees by those without outputs.
import type { EventBody } from "#spec/event";
import type { Iteration, Run } from "#spec/run";

type OutputsSeen = Extract<EventBody, { type: "outputs.seen" }>;

function rename(iteration: Iteration, trees: Readonly<Record<string, string>>): Iteration {
  const { snapshot, from, tampering } = iteration;
  const kept = tampering?.tree;
  return {
    ...iteration,
    ...(snapshot && { snapshot: { ...snapshot, tree: trees[snapshot.tree] ?? snapshot.tree } }),
    ...(from && { from: trees[from] ?? from }),
    ...(kept && { tampering: { ...tampering, tree: trees[kept] ?? kept } }),
  };
}

export function outputsSeen(run: Run, event: OutputsSeen): Run {
  const { paths, captured = [], trees = {} } = event;
  const outputs = [...new Set([...(run.outputs ?? []), ...paths])].filter((name) => !captured.includes(name));
  const seen = (iteration: Iteration): Iteration =>
    iteration.number === event.iteration && paths.length > 0
      ? { ...iteration, outputs: [...(iteration.outputs ?? []), ...paths] }
      : iteration;
  return {
    ...run,
    outputs,
    baseline: seen(rename(run.baseline, trees)),
    iterations: run.iterations.map((one) => seen(rename(one, trees))),
    ...(run.tree && { tree: trees[run.tree] ?? run.tree }),
  };
}

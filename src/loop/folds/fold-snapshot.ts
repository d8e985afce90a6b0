// Folds snapshots, changes of protected files, and outputs of gates, which later snapshots exclude.
import type { EventOf } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import type { Snapshot } from "#spec/workspace";
import { amendIteration, omit, unpark } from "./amend.ts";

/** Drops the iteration's snapshot, which is stale after such a change: a new one has to be taken. */
export function foldProtectedChange(run: Run, event: EventOf<"protected.changed">): Run {
  const { changes, action, tree, commit } = event;
  return amendIteration(run, event.iteration, (iteration) => ({
    ...omit(iteration, "snapshot"),
    tampering: { changes, action, tree, ...(commit && { commit }) },
  }));
}

/** Sums changed lines: a second snapshot of an iteration counts from the first, so the sum is an upper bound. */
function sumChangedLines(before: Snapshot | undefined, now: Snapshot): Snapshot {
  if (before?.changedLines === undefined || now.changedLines === undefined) return now;
  return { ...now, changedLines: before.changedLines + now.changedLines };
}

/**
 * Invalidates the iteration's verdicts and answers, which are about the files of the earlier snapshot. Tampering goes
 * too, unless it was recorded after that snapshot.
 */
export function foldSnapshot(run: Run, event: EventOf<"snapshot.taken">): Run {
  const withSnapshot = (iteration: Iteration): Iteration => ({
    ...omit(iteration, "score", "decision", ...(iteration.snapshot ? (["tampering"] as const) : [])),
    snapshot: sumChangedLines(iteration.snapshot, event.snapshot),
    verdicts: [],
    asked: {},
    approvals: [],
  });
  return {
    ...unpark(amendIteration(run, event.iteration, withSnapshot)),
    tree: event.snapshot.tree,
    ...(event.seal && { seal: event.seal }),
    ...(event.index && { index: event.index }),
  };
}

/** Replaces the iteration's trees by those without outputs. */
function renameTrees(iteration: Iteration, trees: Readonly<Record<string, string>>): Iteration {
  const { snapshot, from, tampering } = iteration;
  const changed = tampering?.tree;
  return {
    ...iteration,
    ...(snapshot && { snapshot: { ...snapshot, tree: trees[snapshot.tree] ?? snapshot.tree } }),
    ...(from && { from: trees[from] ?? from }),
    ...(changed && { tampering: { ...tampering, tree: trees[changed] ?? changed } }),
  };
}

export function foldOutputs(run: Run, event: EventOf<"outputs.seen">): Run {
  const { paths, captured = [], trees = {} } = event;
  const outputs = [...new Set([...(run.outputs ?? []), ...paths])].filter((name) => !captured.includes(name));
  const withOutputs = (iteration: Iteration): Iteration =>
    iteration.number === event.iteration && paths.length > 0
      ? { ...iteration, outputs: [...(iteration.outputs ?? []), ...paths] }
      : iteration;
  return {
    ...run,
    outputs,
    baseline: withOutputs(renameTrees(run.baseline, trees)),
    iterations: run.iterations.map((one) => withOutputs(renameTrees(one, trees))),
    ...(run.tree && { tree: trees[run.tree] ?? run.tree }),
  };
}

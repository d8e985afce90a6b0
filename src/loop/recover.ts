// The first step of a resumed run: say so, and make the files fit the events again without losing any.

import { succeeded } from "#rules/success";
import type { EventBody } from "#spec/event";
import { isolated } from "#spec/isolated";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { capture } from "./protect.ts";

/** The agent was at work when the run was cut off. */
function agentWasRunning(iteration: Iteration): boolean {
  return !iteration.agent && iteration.decision === undefined;
}

/** Records the interrupted files; then, unless they are to be kept, puts back what the iteration started from. */
async function* undoInterrupted(run: Run, iteration: Iteration, ports: Ports): AsyncGenerator<EventBody> {
  const { tree } = await ports.workspace.snapshot();
  const { from } = iteration;
  // Whoever ended the run has said so, with the same files.
  if (!run.ended || run.tree !== tree)
    yield {
      type: "iteration.interrupted",
      iteration: iteration.number,
      tree,
      reason: "the run was cut off while the agent worked",
    };
  if (run.task.onResume === "keep" || !from || from === tree) return;
  await ports.workspace.restore(from);
  yield { type: "workspace.restored", iteration: iteration.number - 1, tree: from, saved: tree };
}

/** Verdicts speak of a tree. If the files are no longer that tree, either they go back or the verdicts go. */
async function* refit(run: Run, iteration: Iteration, ports: Ports): AsyncGenerator<EventBody> {
  const judged = iteration.snapshot?.tree;
  const snapshot = await ports.workspace.snapshot(judged);
  if (!judged || snapshot.tree === judged) return;
  if (run.task.onResume === "keep") return yield* capture(run, { ...iteration, from: judged }, ports);
  await ports.workspace.restore(judged);
  yield { type: "workspace.restored", iteration: iteration.number, tree: judged, saved: snapshot.tree };
}

export async function* recover(run: Run, ports: Ports): AsyncGenerator<EventBody> {
  yield {
    type: "run.resumed",
    host: ports.host,
    ...(ports.limits && { limits: ports.limits }),
    ...(ports.isolation && { isolation: isolated(ports.isolation) }),
    ...(ports.allowErroredBaseline && { allowErroredBaseline: true as const }),
  };
  const current = run.iterations.at(-1) ?? run.baseline;
  // An agent that was away has not been cut off: what it made of the files is its work. What has been decided about is
  // behind us, unless it was found good: that is what the run ends with.
  if ((current.decision && !succeeded(run, current)) || run.state === "away") return;
  if (current.number > 0 && agentWasRunning(current)) yield* undoInterrupted(run, current, ports);
  else if (current.snapshot) yield* refit(run, current, ports);
}

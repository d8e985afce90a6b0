// The first step of a resumed run: records the resume and reconciles files with events, without losing any file.

import { succeeded } from "#rules/success";
import type { EventBody } from "#spec/event";
import { isolated } from "#spec/isolated";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { capture } from "./protect.ts";

/** Whether the agent was running when the run was interrupted. */
function agentWasRunning(iteration: Iteration): boolean {
  return !iteration.agent && iteration.decision === undefined;
}

/** Records the interrupted files, then restores what the iteration started from, unless the task keeps them. */
async function* undoInterrupted(run: Run, iteration: Iteration, ports: Ports): AsyncGenerator<EventBody> {
  const { tree } = await ports.workspace.snapshot();
  const { from } = iteration;
  // The end of the run has already recorded the same files.
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

/** When the files no longer match the judged tree, restores them, or takes a new snapshot and drops the verdicts. */
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
  // An agent that was away was not interrupted: its changes are its work. A decided iteration needs no recovery, unless
  // it succeeded, because the run ends with its files.
  if ((current.decision && !succeeded(run, current)) || run.state === "away") return;
  if (current.number > 0 && agentWasRunning(current)) yield* undoInterrupted(run, current, ports);
  else if (current.snapshot) yield* refit(run, current, ports);
}

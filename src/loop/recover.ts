// The first step of a resumed run: records the resume and reconciles files with events, without losing any file.

import { succeeded } from "#rules/success";
import { shownIsolation } from "#spec/agent";
import type { EventBody } from "#spec/event";
import type { Iteration } from "#spec/run";
import { capture } from "./protect.ts";
import type { IterationContext, StepContext } from "./step.ts";

/** Whether the agent was running when the run was interrupted. */
function agentWasRunning(iteration: Iteration): boolean {
  return !iteration.agent && iteration.decision === undefined;
}

/** Records the interrupted files, then restores what the iteration started from, unless the task keeps them. */
async function* undoInterrupted({ run, iteration, ports }: IterationContext): AsyncGenerator<EventBody> {
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
async function* restoreJudged(context: IterationContext): AsyncGenerator<EventBody> {
  const { run, iteration, ports } = context;
  const judged = iteration.snapshot?.tree;
  const snapshot = await ports.workspace.snapshot(judged);
  if (!judged || snapshot.tree === judged) return;
  if (run.task.onResume === "keep")
    return yield* capture({ ...context, iteration: { ...iteration, from: judged } });
  await ports.workspace.restore(judged);
  yield { type: "workspace.restored", iteration: iteration.number, tree: judged, saved: snapshot.tree };
}

export async function* recover(context: StepContext): AsyncGenerator<EventBody> {
  const { run, ports } = context;
  yield {
    type: "run.resumed",
    host: ports.host,
    ...(ports.limits && { limits: ports.limits }),
    ...(ports.isolation && { isolation: shownIsolation(ports.isolation) }),
    ...(ports.allowErroredBaseline && { allowErroredBaseline: true as const }),
  };
  const current = run.iterations.at(-1) ?? run.baseline;
  // An agent that was away was not interrupted: its changes are its work. A decided iteration needs no recovery, unless
  // it succeeded, because the run ends with its files.
  if ((current.decision && !succeeded(run, current)) || run.state === "away") return;
  if (current.number > 0 && agentWasRunning(current))
    yield* undoInterrupted({ ...context, iteration: current });
  else if (current.snapshot) yield* restoreJudged({ ...context, iteration: current });
}

// The steps of a run. Each is a stateless generator of events.

import { compose } from "#prompt/compose";
import { feedbackFile } from "#prompt/feedback";
import { bestBeyondLast } from "#rules/best-iteration";
import type { Queued } from "#spec/command";
import type { Outcome } from "#spec/event";
import { MEMORY_PART, type Ports } from "#spec/ports";
import { deliver, isToBeDelivered, restoreJudgedTree } from "./deliver.ts";
import { escalations, type Waiting } from "./policy.ts";
import { capture } from "./protect.ts";
import { ending } from "./stamp.ts";
import { decisionFor, iterationOf } from "./standing.ts";
import { type IterationContext, type Step, withTimeLimit } from "./step.ts";

export function read(commands: readonly Queued[]): Step {
  return async function* () {
    for (const queued of commands) yield { type: "command.received", queued };
  };
}

export function end(outcome: Outcome, reason: string): Step {
  return async function* (context) {
    const { run } = context;
    if (outcome === "converged") yield* restoreJudgedTree(context);
    if (outcome === "diverged" && run.task.onDivergence === "restore-best") {
      const back = bestBeyondLast(run)?.iteration;
      // The next step comes back here with the restored files.
      if (back !== undefined) return yield* restore(back)(context);
    }
    const last = ending(run, outcome, reason);
    if (isToBeDelivered(run, last)) {
      const delivered = await deliver(context, reason);
      if (!delivered) return;
      yield delivered;
    }
    yield last;
  };
}

export const pause: Step = async function* () {
  yield { type: "run.paused" };
};

export function park(waiting: Waiting): Step {
  return async function* () {
    yield { type: "run.parked", ...waiting };
  };
}

/** Why no agent can work; undefined when at least one can. */
function blockerOf({ agents, workspace }: Ports): string | undefined {
  const [first, ...others] = agents.map((agent) => agent.blocker?.(workspace.dir));
  return first !== undefined && others.every((reason) => reason !== undefined) ? first : undefined;
}

/** Fails fast when no agent can work, before slow gates run. */
export const startBaseline: Step = async function* (context) {
  const blocker = blockerOf(context.ports);
  if (blocker !== undefined) return yield* end("blocked", blocker)(context);
  yield* capture({ ...context, iteration: context.run.baseline });
};

export function takeSnapshot(number: number): Step {
  return (context) => capture({ ...context, iteration: iterationOf(context.run, number) });
}

export function restore(number: number): Step {
  return async function* ({ run, ports }) {
    const tree = iterationOf(run, number).snapshot?.tree;
    if (!tree) throw new Error(`iteration ${number} of run ${run.id} has no snapshot to restore`);
    const saved = await ports.workspace.restore(tree);
    yield { type: "workspace.restored", iteration: number, tree, saved: saved.tree };
  };
}

/** Called once per iteration: the note is recorded as an event. */
async function* summarize(context: IterationContext): ReturnType<Step> {
  const { run, ports, signal } = context;
  const { number } = context.iteration;
  const files = ports.filesFor(number, MEMORY_PART);
  const request = { run, iteration: number, files, dir: ports.workspace.dir };
  const note = await ports.memory.note?.(request, withTimeLimit(context));
  if (note && !signal.aborted) yield { type: "memory.noted", iteration: number, note };
}

export const startIteration: Step = async function* (context) {
  const { run, ports } = context;
  const last = run.iterations.at(-1);
  if (ports.memory.note && last && !last.note) return yield* summarize({ ...context, iteration: last });
  const progress = await ports.memory.recall(run);
  const iteration = run.iterations.length + 1;
  const failures = feedbackFile(run);
  const file = failures === undefined ? undefined : ports.writeForAgent(iteration, failures);
  const prompt = compose(run, { progress, ...(await ports.variables()) }, file);
  yield { type: "iteration.started", iteration, prompt };
};

export const decide: Step = async function* ({ run, ports }) {
  const iteration = iterationOf(run, run.iterations.length);
  for (const { gate, reason } of escalations(run, iteration))
    yield { type: "gate.escalated", iteration: iteration.number, gate, reason };
  yield {
    type: "decision.made",
    iteration: iteration.number,
    decision: await decisionFor(run, ports.strategy),
  };
};

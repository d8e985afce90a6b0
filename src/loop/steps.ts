// The steps of a run. Each is a stateless generator of events.

import { compose } from "#prompt/compose";
import { feedbackFile } from "#prompt/feedback";
import { bestBeyondLast } from "#rules/best-iteration";
import type { Queued } from "#spec/command";
import type { EventBody, Outcome } from "#spec/event";
import { MEMORY_PART } from "#spec/log-parts";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { deliver, isToBeDelivered, settle } from "./deliver.ts";
import { timeIsUp } from "./limits.ts";
import { escalations, type Waiting } from "./policy.ts";
import { capture } from "./protect.ts";
import { ending } from "./stamp.ts";
import { decisionFor, iterationOf } from "./standing.ts";

export type Step = (run: Run, ports: Ports, signal: AbortSignal) => AsyncIterable<EventBody>;

const SLICE_MS = 1_000;

/** The signal, combined with a timeout at the run's time limit. */
export function withinTime(run: Run, ports: Ports, signal: AbortSignal): AbortSignal {
  const { timeMs } = run.task.limits;
  if (timeMs === undefined) return signal;
  const left = Math.min(2 ** 31 - 1, Math.max(0, Math.ceil(timeMs - ports.elapsed())));
  return AbortSignal.any([signal, AbortSignal.timeout(left)]);
}

/** Sleeps for `ms`; false when a command, an abort or the run's time limit comes first. */
export async function waited(ms: number, run: Run, ports: Ports, signal: AbortSignal): Promise<boolean> {
  const until = ports.elapsed() + ms;
  while (ports.elapsed() < until) {
    await ports.sleep(Math.min(SLICE_MS, until - ports.elapsed()), signal);
    if (signal.aborted || timeIsUp(run, ports.elapsed())) return false;
    if ((await ports.inbox(run.inbox)).length > 0) return false;
  }
  return true;
}

export function read(commands: readonly Queued[]): Step {
  return async function* () {
    for (const queued of commands) yield { type: "command.received", queued };
  };
}

export function end(outcome: Outcome, reason: string): Step {
  return async function* (run, ports, signal) {
    if (outcome === "converged") yield* settle(run, ports);
    if (outcome === "diverged" && run.task.onDivergence === "restore-best") {
      const back = bestBeyondLast(run)?.iteration;
      // The next step comes back here with the restored files.
      if (back !== undefined) return yield* restore(back)(run, ports, signal);
    }
    const last = ending(run, outcome, reason);
    if (isToBeDelivered(run, last)) {
      const delivered = await deliver(run, reason, ports, signal);
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
export const startBaseline: Step = async function* (run, ports, signal) {
  const blocker = blockerOf(ports);
  if (blocker !== undefined) return yield* end("blocked", blocker)(run, ports, signal);
  yield* capture(run, run.baseline, ports);
};

export function takeSnapshot(number: number): Step {
  return (run, ports) => capture(run, iterationOf(run, number), ports);
}

export function restore(number: number): Step {
  return async function* (run, ports) {
    const tree = iterationOf(run, number).snapshot?.tree;
    if (!tree) throw new Error(`iteration ${number} of run ${run.id} has no snapshot to go back to`);
    const saved = await ports.workspace.restore(tree);
    yield { type: "workspace.restored", iteration: number, tree, saved: saved.tree };
  };
}

/** Called once per iteration: the note is recorded as an event. */
async function* sumUp({ number }: Iteration, run: Run, ports: Ports, signal: AbortSignal): ReturnType<Step> {
  const files = ports.filesFor(number, MEMORY_PART);
  const request = { run, iteration: number, files, dir: ports.workspace.dir };
  const note = await ports.memory.note?.(request, withinTime(run, ports, signal));
  if (note && !signal.aborted) yield { type: "memory.noted", iteration: number, note };
}

export const startIteration: Step = async function* (run, ports, signal) {
  const last = run.iterations.at(-1);
  if (ports.memory.note && last && !last.note) return yield* sumUp(last, run, ports, signal);
  const progress = await ports.memory.recall(run);
  const iteration = run.iterations.length + 1;
  const failures = feedbackFile(run);
  const file = failures === undefined ? undefined : ports.writeForAgent(iteration, failures);
  const prompt = compose(run, { progress, ...(await ports.variables()) }, file);
  yield { type: "iteration.started", iteration, prompt };
};

export const decide: Step = async function* (run, ports) {
  const iteration = iterationOf(run, run.iterations.length);
  for (const { gate, reason } of escalations(run, iteration))
    yield { type: "gate.escalated", iteration: iteration.number, gate, reason };
  yield {
    type: "decision.made",
    iteration: iteration.number,
    decision: await decisionFor(run, ports.strategy),
  };
};

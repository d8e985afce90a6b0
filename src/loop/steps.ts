// The steps of a run. Each is a generator of facts; none of them remembers anything.

import { compose } from "#prompt/compose";
import type { AgentResult } from "#spec/agent";
import type { Queued } from "#spec/command";
import type { EventBody, Outcome } from "#spec/event";
import type { JudgeRequest } from "#spec/gate";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import type { Verdict } from "#spec/verdict";
import { deliver, isToBeDelivered, settle } from "./deliver.ts";
import { timeIsUp, timeReason } from "./limits.ts";
import {
  backoffMs,
  escalations,
  gateToJudge,
  isOver,
  verdictWithoutJudging,
  type Waiting,
} from "./policy.ts";
import { capture } from "./protect.ts";
import { ending } from "./stamp.ts";
import { decisionFor, iterationOf } from "./standing.ts";

export type Step = (run: Run, ports: Ports, signal: AbortSignal) => AsyncIterable<EventBody>;

const MOST_DELAYS = 20;
const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 15 * 60_000;
const SLICE_MS = 1_000;

/** The signal, cut short by what is left of the run's time. */
function withinTime(run: Run, ports: Ports, signal: AbortSignal): AbortSignal {
  const { timeMs } = run.task.limits;
  if (timeMs === undefined) return signal;
  const left = Math.min(2 ** 31 - 1, Math.max(0, Math.ceil(timeMs - ports.elapsed())));
  return AbortSignal.any([signal, AbortSignal.timeout(left)]);
}

/** Waits until `ms` have passed; false when something else comes first: a command, an abort, the run's end of time. */
async function waited(ms: number, run: Run, ports: Ports, signal: AbortSignal): Promise<boolean> {
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
    const last = ending(run, outcome, reason);
    if (isToBeDelivered(run, last)) yield await deliver(run, reason, ports, signal);
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

export const startIteration: Step = async function* (run, ports) {
  const progress = await ports.memory.recall(run);
  const prompt = compose(run, { progress, ...(await ports.variables()) });
  yield { type: "iteration.started", iteration: run.iterations.length + 1, prompt };
};

async function lastWord(
  run: Run,
  iteration: Iteration,
  ports: Ports,
  signal: AbortSignal,
): Promise<AgentResult> {
  const { limits } = run.task;
  const left = limits.timeMs === undefined ? Number.POSITIVE_INFINITY : limits.timeMs - ports.elapsed();
  const request = {
    run: run.id,
    iteration: iteration.number,
    prompt: iteration.prompt,
    dir: ports.workspace.dir,
    files: ports.filesFor(iteration.number, "agent"),
    timeoutMs: Math.max(1, Math.min(limits.iterationMs, left)),
    ...(limits.idleMs !== undefined && { idleMs: limits.idleMs }),
  };
  for await (const event of ports.agent.run(request, signal)) {
    if (event.type === "finished") return event.result;
    ports.onActivity(event.text);
  }
  throw new Error(`agent ${ports.agent.name} ended without saying how`);
}

/** The agent asked to come back later. That is no iteration used up, but it is bounded. */
function delay(iteration: Iteration, result: AgentResult, ports: Ports): EventBody {
  const wait = result.retryAfterMs ?? Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** iteration.delays);
  const until = new Date(Date.parse(ports.now()) + wait).toISOString();
  return { type: "agent.delayed", iteration: iteration.number, until, reason: result.reason ?? "rate limit" };
}

export const runAgent: Step = async function* (run, ports, signal) {
  const iteration = iterationOf(run, run.iterations.length);
  const wait = iteration.delayedUntil ? Date.parse(iteration.delayedUntil) - Date.parse(ports.now()) : 0;
  const ready = await waited(wait, run, ports, signal);
  if (timeIsUp(run, ports.elapsed())) return yield* end("diverged", timeReason(run))(run, ports, signal);
  if (!ready) return;
  const result = await lastWord(run, iteration, ports, signal);
  if (signal.aborted) {
    const { tree } = await ports.workspace.snapshot();
    yield {
      type: "iteration.interrupted",
      iteration: iteration.number,
      tree,
      reason: "the agent was stopped",
    };
  } else if (result.failure === "rate-limited" && iteration.delays < MOST_DELAYS) {
    yield delay(iteration, result, ports);
  } else {
    yield { type: "agent.finished", iteration: iteration.number, result };
  }
};

function requestFor(run: Run, { number, snapshot }: Iteration, gate: string, ports: Ports): JudgeRequest {
  const { workspace } = ports;
  const tree = snapshot?.tree ?? "";
  return {
    run,
    iteration: number,
    tree,
    dir: workspace.dir,
    files: ports.filesFor(number, gate),
    diff: () => workspace.diff(run.baseline.snapshot?.tree ?? tree, tree),
    copy: (dir) => workspace.copy(tree, dir),
  };
}

/** What waits until a moment that is over would be asked again at once, for ever. */
function patient(verdict: Verdict, ports: Ports): Verdict {
  if (!isOver(verdict.until, ports.now())) return verdict;
  const { until: _over, ...rest } = verdict;
  return rest;
}

export function judge(number: number): Step {
  return async function* (run, ports, signal) {
    const iteration = iterationOf(run, number);
    const spec = gateToJudge(run, iteration, ports.now());
    const gate = spec && ports.gates.get(spec.name);
    if (!spec || !gate) throw new Error(`run ${run.id} has no gate ${spec?.name}`);
    const settled = verdictWithoutJudging(run, iteration, spec);
    if (settled) return yield { type: "gate.judged", iteration: number, gate: spec.name, verdict: settled };
    if (
      number > 0 &&
      !(await waited(backoffMs(run, spec), run, ports, signal)) &&
      !timeIsUp(run, ports.elapsed())
    )
      return;
    const limited = withinTime(run, ports, signal);
    const verdict = patient(await gate.judge(requestFor(run, iteration, spec.name, ports), limited), ports);
    if (signal.aborted) return;
    // What the clock cut off says nothing about the files: with more time, the gate judges again.
    if (limited.aborted && verdict.status === "errored")
      return yield* end("diverged", timeReason(run))(run, ports, signal);
    yield { type: "gate.judged", iteration: number, gate: spec.name, verdict };
  };
}

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

// Folds events into the state of a run. Resume, status, progress and memory all start from this state.

import { iterationLimit, recordedIterations } from "#rules/iteration-limit";
import { askedAt } from "#rules/success";
import type { EventBody, RunEvent } from "#spec/event";
import type { Iteration, Judged, Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { Snapshot } from "#spec/workspace";
import { outputsSeen } from "./outputs-seen.ts";
import { overallScore } from "./score.ts";

type GateJudged = { readonly type: "gate.judged" };

/** A new iteration: only its number, start and prompt are known. */
export function blank(
  number: number,
  event: Pick<RunEvent, "time" | "elapsedMs">,
  prompt: string,
  from?: string,
): Iteration {
  return {
    number,
    ...(from && { from }),
    startedAt: event.time,
    startedMs: event.elapsedMs,
    prompt,
    delays: 0,
    spent: [],
    verdicts: [],
    escalated: [],
    asked: {},
    approvals: [],
    interruptions: 0,
  };
}

/** Tasks of earlier versions store the strategy's limit beside the task's; the smaller one applies. */
function withEffectiveLimit(task: Task): Task {
  const iterations = iterationLimit(recordedIterations(task.strategy), task.limits.iterations);
  return iterations === task.limits.iterations ? task : { ...task, limits: { ...task.limits, iterations } };
}

function started(event: RunEvent & { type: "run.started" }): Run {
  return {
    id: event.run,
    seq: event.seq,
    task: withEffectiveLimit(event.task),
    taskHash: event.taskHash,
    dir: event.dir,
    host: event.host,
    startedAt: event.time,
    updatedAt: event.time,
    elapsedMs: event.elapsedMs,
    state: "running",
    ...(event.head && { head: event.head }),
    pins: event.pins ?? {},
    ...(event.own && { own: event.own }),
    ...(event.submission && { submission: event.submission }),
    ...(event.traceparent && { traceparent: event.traceparent }),
    ...(event.isolation && { isolation: event.isolation }),
    unable: [],
    baseline: blank(0, event, ""),
    iterations: [],
    pausing: false,
    steering: [],
    inbox: 0,
    reopened: false,
  };
}

/** Lists that only `foldAll` references: they are mutated in place, so a long run is not copied for each event. */
const inTheMaking = new WeakSet<readonly Iteration[]>();

/** Sets the item at index `at`, which may be one past the end. */
function put(list: readonly Iteration[], at: number, iteration: Iteration): readonly Iteration[] {
  const changed = inTheMaking.has(list) ? (list as Iteration[]) : [...list];
  changed[at] = iteration;
  return changed;
}

/** Applies `change` to iteration `number`; 0 is the baseline. */
function amend(run: Run, number: number, change: (iteration: Iteration) => Iteration): Run {
  if (number === 0) return { ...run, baseline: change(run.baseline) };
  const at = run.iterations.findLastIndex((iteration) => iteration.number === number);
  const found = run.iterations[at];
  return found ? { ...run, iterations: put(run.iterations, at, change(found)) } : run;
}

function without<T extends object, K extends keyof T>(value: T, ...keys: K[]): Omit<T, K> {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}

function unparked(run: Run): Run {
  return run.state === "waiting" ? { ...without(run, "waitingFor"), state: "running" } : run;
}

function judged(run: Run, { iteration: number, gate, verdict, time }: Extract<RunEvent, GateJudged>): Run {
  const judgedIn = (iteration: Iteration): Iteration => {
    const verdicts = [...iteration.verdicts.filter((one) => one.gate !== gate), { gate, verdict }];
    // A score needs every gate's verdict: an interrupted iteration must not rank above complete ones.
    const isWhole = run.task.gates.every(({ name }) => verdicts.some((one) => one.gate === name));
    const score = isWhole ? overallScore(verdicts, run.task.gates) : undefined;
    const asked = verdict.status === "waiting" ? { [gate]: time, ...iteration.asked } : iteration.asked;
    return { ...iteration, verdicts, asked, ...(score !== undefined && { score }) };
  };
  // A parked run continues when a gate no longer waits.
  return unparked(amend(run, number, judgedIn));
}

/** Drops the iteration's snapshot, which is stale after such a change: a new one has to be taken. */
function protectedChanged(run: Run, event: EventBody & { type: "protected.changed" }): Run {
  const { changes, action, tree, commit } = event;
  return amend(run, event.iteration, (one) => ({
    ...without(one, "snapshot"),
    tampering: { changes, action, tree, ...(commit && { commit }) },
  }));
}

/** Sums changed lines: a second snapshot of an iteration counts from the first, so the sum is an upper bound. */
function since(before: Snapshot | undefined, now: Snapshot): Snapshot {
  if (before?.changedLines === undefined || now.changedLines === undefined) return now;
  return { ...now, changedLines: before.changedLines + now.changedLines };
}

/**
 * Invalidates the iteration's verdicts and answers, which are about the files of the earlier snapshot. Tampering goes
 * too, unless it was recorded after that snapshot.
 */
function snapshotTaken(run: Run, event: EventBody & { type: "snapshot.taken" }): Run {
  const fresh = (iteration: Iteration): Iteration => ({
    ...without(iteration, "score", "decision", ...(iteration.snapshot ? (["tampering"] as const) : [])),
    snapshot: since(iteration.snapshot, event.snapshot),
    verdicts: [],
    asked: {},
    approvals: [],
  });
  return {
    ...unparked(amend(run, event.iteration, fresh)),
    tree: event.snapshot.tree,
    ...(event.seal && { seal: event.seal }),
    ...(event.index && { index: event.index }),
  };
}

/** Removes the gate's waiting verdict, so that it judges again with the answer. Ignores an answer nobody asked for. */
function answered(iteration: Iteration, answer: Iteration["approvals"][number]): Iteration {
  if (askedAt(iteration, answer.gate) === undefined) return iteration;
  const waits = ({ gate, verdict }: Judged) => gate === answer.gate && verdict.status === "waiting";
  return {
    ...iteration,
    approvals: [...iteration.approvals, answer],
    verdicts: iteration.verdicts.filter((one) => !waits(one)),
  };
}

function commanded(run: Run, { queued }: EventBody & { type: "command.received" }): Run {
  const { command } = queued;
  const base: Run = { ...run, inbox: queued.id };
  const number = run.iterations.at(-1)?.number ?? 0;
  switch (command.type) {
    case "stop":
      return unparked({ ...base, stopping: command.reason });
    case "pause":
      return { ...base, pausing: true };
    case "steer":
      return { ...base, steering: [...base.steering, command.text] };
    case "decide":
      return unparked(amend(base, number, (one) => ({ ...without(one, "decision"), direction: command })));
    case "approve":
    case "reject":
      return unparked(amend(base, number, (one) => answered(one, command)));
  }
}

/** Removes errored verdicts, so that those gates judge the baseline again. */
function withoutErrored(baseline: Iteration): Iteration {
  const verdicts = baseline.verdicts.filter(({ verdict }) => verdict.status !== "errored");
  return { ...without(baseline, "score"), verdicts };
}

/** Continues after a pause, a crash, an end or an agent that was away. Retries an agent that could not work. */
function resumed(run: Run, event: EventBody & { type: "run.resumed" }): Run {
  const limits = { ...run.task.limits, ...event.limits };
  // The next end needs a delivery of its own.
  const earlier = run.ended
    ? without(run, "delivered")
    : run.state === "away" || run.state === "paused"
      ? without(run, "waitingFor")
      : run;
  const allows = event.allowErroredBaseline && { allowErroredBaseline: true as const };
  const open: Run = {
    ...without(earlier, "ended", "stopping"),
    task: { ...run.task, limits, ...allows },
    resumedOn: event.host,
    state: run.state === "waiting" ? "waiting" : "running",
    pausing: false,
    unable: [],
    ...(event.isolation && { isolation: event.isolation }),
    reopened: run.state === "ended",
    ...(run.state === "ended" && { reopenedAt: decidedIn(run) }),
  };
  const last = run.iterations.at(-1);
  if (run.ended?.outcome !== "blocked" || last?.decision) return open;
  if (!last) return allows ? open : amend(open, 0, withoutErrored);
  return amend(open, last.number, (iteration) => without(iteration, "agent"));
}

/** Number of decided iterations: one that the end interrupted continues after the resume. */
function decidedIn({ iterations }: Run): number {
  return iterations.length - (iterations.at(-1)?.decision ? 0 : Math.min(1, iterations.length));
}

function apply(run: Run, event: RunEvent): Run {
  switch (event.type) {
    case "run.started":
      return run;
    case "snapshot.taken":
      return snapshotTaken(run, event);
    case "iteration.started": {
      const iteration = blank(event.iteration, event, event.prompt, run.tree);
      const iterations = put(run.iterations, run.iterations.length, iteration);
      return { ...run, iterations, steering: [], reopened: false };
    }
    case "agent.finished":
      return amend(run, event.iteration, (one) => ({
        ...without(one, "delayedUntil"),
        agent: event.result,
        by: event.agent,
        ...(event.isolation && { isolation: event.isolation }),
      }));
    case "agent.away": {
      const { reason, until } = event;
      return { ...run, state: "away", waitingFor: { reason, gates: [], ...(until && { until }) } };
    }
    case "agent.delayed":
      return amend(run, event.iteration, (one) => ({
        ...one,
        delays: one.delays + 1,
        delayedUntil: event.until,
        spent: [...one.spent, ...(event.usage ? [event.usage] : [])],
      }));
    case "agent.replaced":
      return {
        ...amend(run, event.iteration, (one) => ({
          ...without(one, "delayedUntil"),
          delays: 0,
          spent: [...one.spent, event.result.usage],
        })),
        unable: [...run.unable, event.agent],
      };
    case "memory.noted":
      return amend(run, event.iteration, (one) => ({ ...one, note: event.note }));
    case "outputs.seen":
      return outputsSeen(run, event);
    case "protected.changed":
      return protectedChanged(run, event);
    case "gate.judged":
      return judged(run, event);
    case "gate.escalated":
      return amend(run, event.iteration, (one) => ({ ...one, escalated: [...one.escalated, event.gate] }));
    case "decision.made":
      return {
        ...amend(run, event.iteration, (one) => ({ ...one, decision: event.decision })),
        reopened: false,
      };
    case "command.received":
      return commanded(run, event);
    case "iteration.interrupted": {
      // The agent's usage counts even though its files are discarded.
      const cut = amend(run, event.iteration, ({ agent, ...one }) => ({
        ...one,
        spent: agent ? [...one.spent, agent.usage] : one.spent,
        interruptions: one.interruptions + 1,
      }));
      return { ...cut, tree: event.tree };
    }
    case "workspace.restored":
      return { ...run, tree: event.tree };
    case "run.paused": {
      const waitingFor = event.reason === undefined ? undefined : { reason: event.reason, gates: [] };
      return { ...run, state: "paused", pausing: false, ...(waitingFor && { waitingFor }) };
    }
    case "run.parked": {
      const { reason, gates, until } = event;
      return { ...run, state: "waiting", waitingFor: { reason, gates, ...(until && { until }) } };
    }
    case "run.resumed":
      return resumed(run, event);
    case "run.delivered":
      return { ...run, delivered: event.delivered };
    case "run.ended":
      return { ...without(run, "waitingFor"), state: "ended", ended: event };
  }
}

/** Applies one event. */
export function fold(run: Run | undefined, event: RunEvent): Run {
  if (event.type === "run.started") return started(event);
  if (!run) throw new Error(`a run begins with run.started, not with ${event.type}`);
  return { ...apply(run, event), seq: event.seq, updatedAt: event.time, elapsedMs: event.elapsedMs };
}

/** Applies all events, on top of `from` if given; undefined when there is neither. */
export function foldAll(events: Iterable<RunEvent>, from?: Run): Run | undefined {
  let run = from;
  let own: Iteration[] | undefined;
  for (const event of events) {
    if (run && run.iterations !== own) {
      own = [...run.iterations];
      inTheMaking.add(own);
      run = { ...run, iterations: own };
    }
    run = fold(run, event);
  }
  if (own) inTheMaking.delete(own);
  return run;
}

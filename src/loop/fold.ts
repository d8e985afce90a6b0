// Folds events into the state of a run. Resume, status, progress and memory all start from this state.
import type { EventOf, RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { amendIteration, omit, putIteration, withMutableLists } from "./folds/amend.ts";
import {
  foldAgentAway,
  foldAgentDelayed,
  foldAgentFinished,
  foldAgentReplaced,
  foldInterruption,
} from "./folds/fold-agent.ts";
import { foldCommand } from "./folds/fold-command.ts";
import { foldResume } from "./folds/fold-resume.ts";
import { foldOutputs, foldProtectedChange, foldSnapshot } from "./folds/fold-snapshot.ts";
import { foldVerdict } from "./folds/fold-verdict.ts";
import { newIteration, newRun } from "./folds/new-run.ts";

function foldIterationStart(run: Run, event: EventOf<"iteration.started">): Run {
  const { iteration: number, prompt } = event;
  const iteration = newIteration({ number, prompt, ...(run.tree && { from: run.tree }) }, event);
  const iterations = putIteration(run.iterations, run.iterations.length, iteration);
  return { ...run, iterations, steering: [], reopened: false };
}

function foldDecision(run: Run, { iteration, decision }: EventOf<"decision.made">): Run {
  return { ...amendIteration(run, iteration, (one) => ({ ...one, decision })), reopened: false };
}

function foldEscalation(run: Run, { iteration, gate }: EventOf<"gate.escalated">): Run {
  return amendIteration(run, iteration, (one) => ({ ...one, escalated: [...one.escalated, gate] }));
}

function foldPause(run: Run, { reason }: EventOf<"run.paused">): Run {
  const waitingFor = reason === undefined ? undefined : { reason, gates: [] };
  return { ...run, state: "paused", pausing: false, ...(waitingFor && { waitingFor }) };
}

function foldParking(run: Run, { reason, gates, until }: EventOf<"run.parked">): Run {
  return { ...run, state: "waiting", waitingFor: { reason, gates, ...(until && { until }) } };
}

function apply(run: Run, event: RunEvent): Run {
  switch (event.type) {
    case "run.started":
      return run;
    case "snapshot.taken":
      return foldSnapshot(run, event);
    case "iteration.started":
      return foldIterationStart(run, event);
    case "agent.finished":
      return foldAgentFinished(run, event);
    case "agent.away":
      return foldAgentAway(run, event);
    case "agent.delayed":
      return foldAgentDelayed(run, event);
    case "agent.replaced":
      return foldAgentReplaced(run, event);
    case "memory.noted":
      return amendIteration(run, event.iteration, (one) => ({ ...one, note: event.note }));
    case "outputs.seen":
      return foldOutputs(run, event);
    case "protected.changed":
      return foldProtectedChange(run, event);
    case "gate.judged":
      return foldVerdict(run, event);
    case "gate.escalated":
      return foldEscalation(run, event);
    case "decision.made":
      return foldDecision(run, event);
    case "command.received":
      return foldCommand(run, event);
    case "iteration.interrupted":
      return foldInterruption(run, event);
    case "workspace.restored":
      return { ...run, tree: event.tree };
    case "run.paused":
      return foldPause(run, event);
    case "run.parked":
      return foldParking(run, event);
    case "run.resumed":
      return foldResume(run, event);
    case "run.delivered":
      return { ...run, delivered: event.delivered };
    case "run.ended":
      return { ...omit(run, "waitingFor"), state: "ended", ended: event };
  }
}

/** Applies one event. */
export function fold(run: Run | undefined, event: RunEvent): Run {
  if (event.type === "run.started") return newRun(event);
  if (!run) throw new Error(`a run begins with run.started, not with ${event.type}`);
  return { ...apply(run, event), seq: event.seq, updatedAt: event.time, elapsedMs: event.elapsedMs };
}

/** Applies all events, on top of `from` if given; undefined when there is neither. */
export function foldAll(events: Iterable<RunEvent>, from?: Run): Run | undefined {
  return withMutableLists((copy) => {
    let run = from;
    for (const event of events) run = fold(run && copy(run), event);
    return run;
  });
}

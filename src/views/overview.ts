// Read model: a run as the page, the HTTP API and the report show it, folded from its events into plain, bounded data.

import { usagesIn } from "#loop/usages";
import { best } from "#rules/best-iteration";
import { cautionsOf } from "#rules/cautions";
import { failingOf } from "#rules/failing-tests";
import { projectOf } from "#rules/project";
import { sumUsage } from "#rules/usage";
import type { RunEvent } from "#spec/event";
import type { Action, GateCell, IterationRow, Overview, Span, Summary } from "#spec/overview";
import type { Iteration, Judged, Run } from "#spec/run";
import type { Task } from "#spec/task";
import { isFlaky } from "#spec/verdict";
import { agents, component, titleOf } from "#text/labels";
import { oneLine } from "#text/plain-text";
import { stateWord, type Tampered, type View } from "./run-view.ts";

const TITLE_CHARS = 200;
const SUMMARY_CHARS = 500;
const SPARKLINE_POINTS = 60;

/** Samples evenly, and keeps the first and the last value. */
function sampleEvenly(values: readonly number[], most: number): readonly number[] {
  if (values.length <= most) return values;
  const step = (values.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, at) => values[Math.round(at * step)] ?? 0);
}

export function summaryOf(view: View): Summary {
  const { run, progress } = view;
  const { task } = run;
  const reason = run.ended?.reason ?? run.waitingFor?.reason;
  return {
    id: run.id,
    state: stateWord(view),
    ...(reason !== undefined && { reason: oneLine(reason, SUMMARY_CHARS) }),
    partial: run.ended?.partial ?? false,
    title: titleOf(task),
    agent: oneLine(agents(task), TITLE_CHARS),
    strategy: component(task.strategy),
    workspace: projectOf(task.workspace),
    iterations: progress.iteration,
    maxIterations: progress.maxIterations,
    ...(progress.scores.length > 0 && { score: progress.overall }),
    scores: sampleEvenly(progress.scores, SPARKLINE_POINTS),
    gatesPassed: progress.gatesPassed,
    gatesTotal: progress.gatesTotal,
    ...(progress.failing && { failing: progress.failing }),
    trend: progress.trend,
    ...(progress.tokens !== undefined && { tokens: progress.tokens }),
    ...(progress.costUsd !== undefined && { costUsd: progress.costUsd }),
    elapsedMs: progress.elapsedMs,
    startedAt: run.startedAt,
    updatedAt: run.updatedAt,
  };
}

/** The summary of a tampered run: only its row is trusted. */
export function summaryOfTampered({ row, tampered }: Tampered): Summary {
  return {
    id: row.id,
    state: "tampered",
    reason: oneLine(tampered, SUMMARY_CHARS),
    partial: false,
    title: "",
    agent: "",
    strategy: "",
    workspace: row.workspace,
    iterations: 0,
    maxIterations: 0,
    scores: [],
    gatesPassed: 0,
    gatesTotal: 0,
    trend: "stagnant",
    elapsedMs: 0,
    startedAt: row.startedAt,
    updatedAt: row.startedAt,
  };
}

function cellOf({ gate, verdict }: Judged): GateCell {
  const { status, score, summary, tests, failures, durationMs, carriedFrom } = verdict;
  return {
    gate,
    status,
    score,
    summary: oneLine(summary, SUMMARY_CHARS),
    ...(tests && { tests }),
    failures: tests?.failed ?? failures.length,
    durationMs,
    ...(carriedFrom !== undefined && { carriedFrom }),
    flaky: isFlaky(verdict),
  };
}

function agentOf({ agent, by = 0 }: Iteration, { agents: list }: Task): IterationRow["agent"] {
  if (!agent) return undefined;
  const { ok, failure, model, durationMs } = agent;
  const used = list[by];
  return {
    name: used ? oneLine(component(used), TITLE_CHARS) : "",
    ok,
    ...(failure && { failure }),
    ...(model && { model: oneLine(model, TITLE_CHARS) }),
    durationMs,
  };
}

export function rowOf(iteration: Iteration, run: Run): IterationRow {
  const { task } = run;
  const failing = iteration.score === undefined ? undefined : failingOf(run, iteration);
  const { number, score, snapshot, decision, tampering } = iteration;
  const agent = agentOf(iteration, task);
  return {
    number,
    startedAt: iteration.startedAt,
    startedMs: iteration.startedMs,
    ...(score !== undefined && { score }),
    ...(failing && { failing }),
    ...(snapshot && { tree: snapshot.tree, files: snapshot.changeCount }),
    ...(snapshot?.changedLines !== undefined && { changedLines: snapshot.changedLines }),
    ...(agent && { agent }),
    usage: sumUsage(usagesIn(iteration)),
    gates: iteration.verdicts.map(cellOf),
    escalated: iteration.escalated,
    ...(decision && { decision }),
    interruptions: iteration.interruptions,
    tampered: tampering?.changes.length ?? 0,
  };
}

/** What the time before an event was spent on. */
function kindOf(event: RunEvent, before: RunEvent): Pick<Span, "kind" | "gate"> {
  if (before.type === "agent.away") return { kind: "away" };
  if (before.type === "agent.delayed") return { kind: "delayed" };
  if (before.type === "run.parked") return { kind: "waiting" };
  if (before.type === "run.paused" || before.type === "run.ended") return { kind: "paused" };
  switch (event.type) {
    case "agent.finished":
    case "agent.replaced":
    case "agent.delayed":
    case "agent.away":
    case "iteration.interrupted":
      return { kind: "agent" };
    case "gate.judged":
      return { kind: "gate", gate: event.gate };
    case "memory.noted":
      return { kind: "memory" };
    default:
      return { kind: "other" };
  }
}

/** The iteration of an event. A restore belongs to the current iteration, not to the one whose files it restores. */
const iterationOf = (event: RunEvent): number | undefined =>
  "iteration" in event && event.type !== "workspace.restored" ? event.iteration : undefined;

/** The time between consecutive events, by what it was spent on; empty spans are left out. */
export function spansOf(events: readonly RunEvent[]): Span[] {
  let iteration = 0;
  const spans: Span[] = [];
  events.forEach((event, at) => {
    const before = events[at - 1];
    iteration = iterationOf(event) ?? iteration;
    if (!before || before.time === event.time) return;
    spans.push({ iteration, ...kindOf(event, before), from: before.time, to: event.time });
  });
  return spans;
}

/** The span that is still open; none when the run has no driver. */
function openSpan({ run, progress, driver }: View): Span[] {
  const { name, gate, since } = progress.phase;
  if (name === "ended" || (run.state === "running" && !driver)) return [];
  const kind = name === "snapshot" || name === "decision" ? "other" : name;
  return [{ iteration: progress.iteration, kind, ...(gate && { gate }), from: since }];
}

function actionsOf({ run, driver }: View): Action[] {
  const { ended, state, waitingFor } = run;
  if (ended) {
    const isDone = ended.outcome === "converged" && !ended.partial;
    return [...(isDone ? [] : (["resume"] as const)), "restore", "deliver"];
  }
  return [
    "stop",
    ...(driver && state === "running" ? (["pause"] as const) : []),
    ...(driver || state === "away" ? [] : (["resume", "restore"] as const)),
    "steer",
    ...(state === "waiting" && (waitingFor?.gates.length ?? 0) === 0 ? (["decide"] as const) : []),
    ...((waitingFor?.gates.length ?? 0) > 0 ? (["approve"] as const) : []),
  ];
}

const judgedIterations = (run: Run): readonly Iteration[] =>
  run.baseline.verdicts.length > 0 ? [run.baseline, ...run.iterations] : run.iterations;

/** Events from the last one before iteration `after` on, because a span starts with the previous event. */
function eventsFrom(events: readonly RunEvent[], after: number): readonly RunEvent[] {
  const at = events.findLastIndex((event) => (iterationOf(event) ?? after) < after);
  return at < 0 ? events : events.slice(at);
}

/** With `after`, rows and spans start at that iteration; everything else is complete. */
export function overviewOf(view: View, events: readonly RunEvent[], after = 0): Overview {
  const { run, progress, driver } = view;
  const [first] = events;
  const bestIteration = best(run);
  return {
    ...summaryOf(view),
    seq: run.seq,
    task: run.task,
    dir: run.dir,
    host: run.host,
    version: first?.type === "run.started" ? first.version : "",
    ...(run.head && { head: run.head }),
    ...(run.isolation && { isolation: run.isolation }),
    pins: Object.keys(run.pins).length,
    cautions: cautionsOf(run),
    ...(driver && { driver: { pid: driver.pid } }),
    progress,
    ...(bestIteration && { best: bestIteration }),
    rows: judgedIterations(run)
      .filter(({ number }) => number >= after)
      .map((iteration) => rowOf(iteration, run)),
    spans: [...spansOf(eventsFrom(events, after)), ...openSpan(view)],
    ...(run.waitingFor && { waitingFor: run.waitingFor }),
    steering: run.steering,
    ...(run.delivered && { delivered: run.delivered }),
    actions: actionsOf(view),
  };
}

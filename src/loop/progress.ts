// Computes the progress of a run from its verdicts: trend, velocity, remaining iterations, totals.

import { best } from "#rules/best-iteration";
import { compareFailing, failingOf } from "#rules/failing-tests";
import { verdictOf } from "#rules/success";
import { sumUsage } from "#rules/usage";
import type { Failing, GateProgress, Phase, Progress, Trend } from "#spec/progress";
import type { Iteration, Run } from "#spec/run";
import { gateToJudge } from "./policy.ts";
import { usagesOf } from "./usages.ts";

const NOTABLE = 0.05;
const WINDOW = 3;

/** Compares failing tests first: one fixed test of a thousand is progress, however little the score moves. */
function trendOf(failing: Failing | undefined, scores: readonly number[]): Trend {
  if (failing?.before !== undefined) {
    if (failing.now === failing.before) return "stagnant";
    return failing.now < failing.before ? "improving" : "regressing";
  }
  const change = (scores.at(-1) ?? 0) - (scores.at(-2) ?? scores.at(-1) ?? 0);
  if (change > NOTABLE) return "improving";
  return change < -NOTABLE ? "regressing" : "stagnant";
}

/** Mean change of the score per iteration over the last `WINDOW`. */
function velocityOf(scores: readonly number[]): number {
  const window = scores.slice(-(WINDOW + 1));
  if (window.length < 2) return 0;
  return ((window.at(-1) ?? 0) - (window[0] ?? 0)) / (window.length - 1);
}

function remainingOf(scores: readonly number[], velocity: number): number | undefined {
  const missing = 1 - (scores.at(-1) ?? 0);
  if (scores.length === 0 || velocity <= 0) return undefined;
  return Math.max(0, Math.ceil(missing / velocity - 1e-9));
}

function gateProgress(gate: string, iterations: readonly Iteration[]): GateProgress {
  const verdicts = iterations.flatMap((iteration) => verdictOf(iteration, gate) ?? []);
  const judged = verdicts.filter(({ status }) => status !== "skipped" && status !== "waiting");
  const scores = judged.map(({ score }) => score);
  const [newest, before] = [judged.at(-1), judged.at(-2)];
  const failing = newest && compareFailing(before, newest);
  const last = verdicts.at(-1);
  return {
    gate,
    ...(last && { status: last.status }),
    score: last?.score ?? 0,
    summary: last?.summary ?? "",
    ...(last?.tests && { tests: last.tests }),
    trend: trendOf(failing, scores),
    scores,
  };
}

function phaseOf(run: Run): Phase {
  const since = run.updatedAt;
  if (run.state !== "running") return { name: run.state, since };
  const current = run.iterations.at(-1) ?? run.baseline;
  const gates = current.number > 0 || run.task.baseline ? gateToJudge(run, current, since) : undefined;
  if (!current.snapshot && (current.number === 0 || current.agent)) return { name: "snapshot", since };
  if (current.number > 0 && !current.agent)
    return current.delayedUntil ? { name: "delayed", since: current.delayedUntil } : { name: "agent", since };
  if (gates && !current.decision) return { name: "gate", gate: gates.name, since };
  return { name: "decision", since };
}

function totals(run: Run): Pick<Progress, "tokens" | "costUsd"> {
  const { inputTokens, outputTokens, costUsd } = sumUsage(usagesOf(run));
  const hasTokens = inputTokens !== undefined || outputTokens !== undefined;
  return {
    ...(hasTokens && { tokens: (inputTokens ?? 0) + (outputTokens ?? 0) }),
    ...(costUsd !== undefined && { costUsd }),
  };
}

export function progressOf(run: Run): Progress {
  const iterations = [run.baseline, ...run.iterations];
  const scores = iterations.flatMap((iteration) => iteration.score ?? []);
  const velocity = velocityOf(scores);
  const remaining = remainingOf(scores, velocity);
  const byGate = run.task.gates.map((gate) => gateProgress(gate.name, iterations));
  const bestIteration = best(run);
  const judged = iterations.findLast(({ score }) => score !== undefined);
  const failing = judged && failingOf(run, judged);
  return {
    iteration: run.iterations.length,
    maxIterations: run.task.limits.iterations,
    elapsedMs: run.elapsedMs,
    ...(run.task.limits.timeMs !== undefined && { maxMs: run.task.limits.timeMs }),
    phase: phaseOf(run),
    overall: scores.at(-1) ?? 0,
    gatesPassed: byGate.filter((gate) => gate.status === "passed").length,
    gatesTotal: byGate.length,
    byGate,
    ...(failing && { failing }),
    trend: trendOf(failing, scores),
    velocity,
    ...(remaining !== undefined && { remaining }),
    scores,
    ...(bestIteration && { best: { iteration: bestIteration.iteration, score: bestIteration.score } }),
    ...totals(run),
  };
}

// Every path that repeats comes past here. Success is looked at before.
import type { Usage } from "#spec/agent";
import type { Run } from "#spec/run";
import { usagesOf } from "./usages.ts";

function sum(run: Run, of: (usage: Usage) => number): number {
  return usagesOf(run).reduce((total, usage) => total + of(usage), 0);
}

function failuresInARow(run: Run): number {
  const lastGood = run.iterations.findLastIndex((iteration) => iteration.agent?.ok);
  return run.iterations.length - 1 - lastGood;
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} s` : `${Math.round(ms / 6_000) / 10} min`;
}

export function timeIsUp(run: Run, elapsedMs: number): boolean {
  return run.task.limits.timeMs !== undefined && elapsedMs >= run.task.limits.timeMs;
}

export function timeReason(run: Run): string {
  return `time limit: ${minutes(run.task.limits.timeMs ?? 0)} used up`;
}

/** Why no further iteration may start; undefined when one may. */
export function exceeded(run: Run): string | undefined {
  const { limits } = run.task;
  if (timeIsUp(run, run.elapsedMs)) return timeReason(run);
  if (run.iterations.length >= limits.iterations)
    return `iteration limit: ${limits.iterations} of ${limits.iterations} used`;
  if (failuresInARow(run) >= limits.agentFailures)
    return `agent failure limit: the agent failed ${limits.agentFailures} times in a row (${run.iterations.at(-1)?.agent?.reason ?? "no reason given"})`;
  return tooManyTokens(run, limits.tokens) ?? tooExpensive(run, limits.cost);
}

// Nobody counts what has no limit: a run may have thousands of iterations.
function tooManyTokens(run: Run, limit: number | undefined): string | undefined {
  if (limit === undefined) return undefined;
  const tokens = sum(run, ({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens);
  return tokens >= limit ? `token limit: ${tokens} of ${limit} used` : undefined;
}

function tooExpensive(run: Run, limit: number | undefined): string | undefined {
  if (limit === undefined) return undefined;
  const cost = sum(run, ({ costUsd = 0 }) => costUsd);
  return cost >= limit ? `cost limit: $${cost.toFixed(2)} of $${limit.toFixed(2)} used` : undefined;
}

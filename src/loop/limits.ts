// The limits of a run. Every path that repeats checks them, after it checks for success.

import { iterationLimitReason } from "#rules/iteration-limit";
import { sumUsage } from "#rules/usage";
import type { Run } from "#spec/run";
import { usagesOf } from "./usages.ts";

/** Consecutive failed agent runs; resuming an ended run resets the count. */
function failuresInARow({ iterations, reopenedAt = 0 }: Run): number {
  const lastGood = iterations.findLastIndex((iteration) => iteration.agent?.ok);
  return iterations.length - Math.max(lastGood + 1, reopenedAt);
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

export type LimitName = "time" | "agentFailures" | "iterations" | "tokens" | "cost";

/** The limit that is reached. Agent failures come before iterations: raising that limit would not fix a crash. */
export function reachedLimit(run: Run): { readonly limit: LimitName; readonly reason: string } | undefined {
  const { limits } = run.task;
  if (timeIsUp(run, run.elapsedMs)) return { limit: "time", reason: timeReason(run) };
  if (failuresInARow(run) >= limits.agentFailures)
    return { limit: "agentFailures", reason: crashReason(run) };
  if (run.iterations.length >= limits.iterations)
    return { limit: "iterations", reason: iterationLimitReason(limits.iterations) };
  const tokens = tooManyTokens(run, limits.tokens);
  if (tokens) return { limit: "tokens", reason: tokens };
  const cost = tooExpensive(run, limits.cost);
  return cost ? { limit: "cost", reason: cost } : undefined;
}

/** Why no further iteration may start; undefined when one may. */
export const limitReason = (run: Run): string | undefined => reachedLimit(run)?.reason;

function crashReason({ iterations, task }: Run): string {
  const { agentFailures } = task.limits;
  const times = agentFailures === 1 ? "" : ` ${agentFailures} times in a row`;
  return `the agent failed${times}: ${iterations.at(-1)?.agent?.reason ?? "no reason given"}`;
}

// Skips the sum when there is no limit: a run may have thousands of iterations.
function tooManyTokens(run: Run, limit: number | undefined): string | undefined {
  if (limit === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0 } = sumUsage(usagesOf(run));
  const tokens = inputTokens + outputTokens;
  return tokens >= limit ? `token limit: ${tokens} of ${limit} used` : undefined;
}

function tooExpensive(run: Run, limit: number | undefined): string | undefined {
  if (limit === undefined) return undefined;
  const { costUsd: cost = 0 } = sumUsage(usagesOf(run));
  return cost >= limit ? `cost limit: $${cost.toFixed(2)} of $${limit.toFixed(2)} used` : undefined;
}

// Totals of a run that can be summed over all runs.
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import type { VerdictStatus } from "#spec/verdict";

export interface Tally {
  readonly iterations: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly agentMs: number;
  readonly verdicts: Readonly<Partial<Record<VerdictStatus, number>>>;
}

export const NOTHING: Tally = { iterations: 0, tokens: 0, costUsd: 0, agentMs: 0, verdicts: {} };

export function tallyOf(run: Run, progress: Progress): Tally {
  const verdicts: Partial<Record<VerdictStatus, number>> = {};
  for (const one of [run.baseline, ...run.iterations])
    for (const { verdict } of one.verdicts) verdicts[verdict.status] = (verdicts[verdict.status] ?? 0) + 1;
  return {
    iterations: run.iterations.length,
    tokens: progress.tokens ?? 0,
    costUsd: progress.costUsd ?? 0,
    agentMs: run.iterations.reduce((sum, { agent }) => sum + (agent?.durationMs ?? 0), 0),
    verdicts,
  };
}

// Collects the usage (tokens, cost) of a run's agents, judges and memory.
import type { Usage } from "#spec/agent";
import type { Iteration, Run } from "#spec/run";

export function usagesIn({ agent, verdicts, spent, note }: Iteration): Usage[] {
  // A carried-over verdict was paid for once.
  const judges = verdicts.filter(({ verdict }) => verdict.carriedFrom === undefined);
  const own = [...spent, agent?.usage ?? [], note?.usage ?? []].flat();
  return [...own, ...judges.flatMap(({ verdict }) => verdict.usage ?? [])];
}

export function usagesOf(run: Run): Usage[] {
  return [run.baseline, ...run.iterations].flatMap(usagesIn);
}

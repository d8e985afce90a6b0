// What everybody who works for a run has used: its agents, those that judge, and those that sum up.
import type { Usage } from "#spec/agent";
import type { Iteration, Run } from "#spec/run";

export function usagesIn({ agent, verdicts, spent, note }: Iteration): Usage[] {
  // A verdict that was carried over was paid for once.
  const judges = verdicts.filter(({ verdict }) => verdict.carriedFrom === undefined);
  const own = [...spent, agent?.usage ?? [], note?.usage ?? []].flat();
  return [...own, ...judges.flatMap(({ verdict }) => verdict.usage ?? [])];
}

export function usagesOf(run: Run): Usage[] {
  return [run.baseline, ...run.iterations].flatMap(usagesIn);
}

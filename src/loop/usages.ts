// What everybody who works for a run has used: its agents, and the agents that judge.
import type { Usage } from "#spec/agent";
import type { Iteration, Run } from "#spec/run";

function usagesIn({ agent, verdicts }: Iteration): Usage[] {
  // A verdict that was carried over was paid for once.
  const judges = verdicts.filter(({ verdict }) => verdict.carriedFrom === undefined);
  return [agent?.usage ?? [], judges.flatMap(({ verdict }) => verdict.usage ?? [])].flat();
}

export function usagesOf(run: Run): Usage[] {
  return [run.baseline, ...run.iterations].flatMap(usagesIn);
}

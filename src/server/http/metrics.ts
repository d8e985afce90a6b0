// Numbers over all runs as Prometheus reads them. Labels are states and statuses only, so there are never many.

import type { StateWord } from "#spec/overview";
import type { VerdictStatus } from "#spec/verdict";
import type { Summed } from "#views/summaries";
import { NOTHING, type Tally } from "#views/tally";

type Sample = readonly [labels: string, value: number];

function metric(name: string, type: "gauge" | "counter", help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `converge_${name}${labels} ${value}`);
  return [`# HELP converge_${name} ${help}`, `# TYPE converge_${name} ${type}`, ...lines, ""].join("\n");
}

const labelled = (label: string, counts: ReadonlyMap<string, number>): Sample[] =>
  [...counts].sort().map(([value, count]) => [`{${label}="${value}"}`, count]);

const one = (value: number): Sample[] => [["", value]];

function add(sum: Tally, more: Tally): Tally {
  return {
    iterations: sum.iterations + more.iterations,
    tokens: sum.tokens + more.tokens,
    costUsd: sum.costUsd + more.costUsd,
    agentMs: sum.agentMs + more.agentMs,
    verdicts: {},
  };
}

export function metrics(all: readonly Summed[], clients: number): string {
  const total = all.map(({ tally }) => tally).reduce(add, NOTHING);
  const states = new Map<StateWord, number>();
  const verdicts = new Map<VerdictStatus, number>();
  for (const { summary, tally } of all) {
    states.set(summary.state, (states.get(summary.state) ?? 0) + 1);
    for (const [status, count] of Object.entries(tally.verdicts) as [VerdictStatus, number][])
      verdicts.set(status, (verdicts.get(status) ?? 0) + count);
  }
  return [
    metric("runs", "gauge", "Runs by state.", labelled("state", states)),
    metric("iterations_total", "counter", "Iterations of all runs.", one(total.iterations)),
    metric("tokens_total", "counter", "Tokens that agents and judges told of.", one(total.tokens)),
    metric("cost_usd_total", "counter", "Dollars that agents and judges told of.", one(total.costUsd)),
    metric("agent_seconds_total", "counter", "Time that agents worked.", one(total.agentMs / 1000)),
    metric("verdicts_total", "counter", "Verdicts of gates by status.", labelled("status", verdicts)),
    metric("server_clients", "gauge", "Clients that listen to streams.", one(clients)),
  ].join("");
}

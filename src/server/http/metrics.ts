// Prometheus metrics over all runs. Labels have low cardinality: states and statuses only.

import type { StateWord } from "#spec/overview";
import type { VerdictStatus } from "#spec/verdict";
import type { Summed } from "#views/summaries";
import { NOTHING, type Tally } from "#views/tally";

type Sample = readonly [labels: string, value: number];

/** Counters end in `_total`, by Prometheus' naming rules. */
function metric(name: string, help: string, samples: readonly Sample[]): string {
  const type = name.endsWith("_total") ? "counter" : "gauge";
  const lines = samples.map(([labels, value]) => `converge_${name}${labels} ${value}`);
  return [`# HELP converge_${name} ${help}`, `# TYPE converge_${name} ${type}`, ...lines, ""].join("\n");
}

const withLabel = (label: string, counts: ReadonlyMap<string, number>): Sample[] =>
  [...counts].sort().map(([value, count]) => [`{${label}="${value}"}`, count]);

const unlabelled = (value: number): Sample[] => [["", value]];

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
    metric("runs", "Runs by state.", withLabel("state", states)),
    metric("iterations_total", "Iterations of all runs.", unlabelled(total.iterations)),
    metric("tokens_total", "Tokens reported by agents and judges.", unlabelled(total.tokens)),
    metric("cost_usd_total", "Cost in dollars reported by agents and judges.", unlabelled(total.costUsd)),
    metric("agent_seconds_total", "Time agents worked, in seconds.", unlabelled(total.agentMs / 1000)),
    metric("verdicts_total", "Verdicts of gates by status.", withLabel("status", verdicts)),
    metric("server_clients", "Clients connected to streams.", unlabelled(clients)),
  ].join("");
}

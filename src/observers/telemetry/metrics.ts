// Metrics over all runs that this process drives: a few sums and histograms with low-cardinality attributes.
import type { Usage } from "#spec/agent";
import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { type Attributes, agentName } from "./spans.ts";

const SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600];
const TOKENS = [100, 1000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000];
/** Attribute values come from tasks; the cap bounds memory in a process that drives very many. */
const MAX_POINTS = 1_000;

export interface Point {
  readonly attributes: Attributes;
  sum: number;
  count: number;
  /** Of a histogram: how many values fell up to each bound, and above the last. */
  readonly buckets: number[];
}

export interface Metric {
  readonly name: string;
  readonly unit: string;
  /** Absent for a sum. */
  readonly bounds?: readonly number[];
  readonly points: Map<string, Point>;
}

const metric = (name: string, unit: string, bounds?: readonly number[]): Metric => ({
  name,
  unit,
  ...(bounds && { bounds }),
  points: new Map(),
});

function add(to: Metric, value: number, attributes: Attributes): void {
  const key = JSON.stringify(attributes);
  const { bounds, points } = to;
  if (!points.has(key) && points.size >= MAX_POINTS) return;
  const point = points.get(key) ?? {
    attributes,
    sum: 0,
    count: 0,
    buckets: bounds ? [...bounds, 0].map(() => 0) : [],
  };
  points.set(key, point);
  point.sum += value;
  point.count += 1;
  if (!bounds) return;
  const place = bounds.findIndex((bound) => value <= bound);
  const at = place === -1 ? bounds.length : place;
  point.buckets[at] = (point.buckets[at] ?? 0) + 1;
}

export interface Metrics {
  /** `before` is the run before the event. */
  count(before: Run, event: RunEvent): void;
  readonly all: readonly Metric[];
}

export function createMetrics(): Metrics {
  const runs = metric("converge.runs", "{run}");
  const iterations = metric("converge.iterations", "{iteration}");
  const verdicts = metric("converge.gate.verdicts", "{verdict}");
  const cost = metric("converge.cost", "{USD}");
  const agentTime = metric("converge.agent.duration", "s", SECONDS);
  const gateTime = metric("converge.gate.duration", "s", SECONDS);
  const tokens = metric("gen_ai.client.token.usage", "{token}", TOKENS);

  const addUsage = ({ inputTokens, outputTokens, costUsd }: Usage = {}) => {
    const operation = { "gen_ai.operation.name": "invoke_agent" };
    if (inputTokens !== undefined) add(tokens, inputTokens, { ...operation, "gen_ai.token.type": "input" });
    if (outputTokens !== undefined)
      add(tokens, outputTokens, { ...operation, "gen_ai.token.type": "output" });
    if (costUsd !== undefined) add(cost, costUsd, {});
  };

  const count: Metrics["count"] = ({ task }, event) => {
    switch (event.type) {
      case "agent.finished":
      case "agent.replaced": {
        const { durationMs, failure, usage } = event.result;
        const name = { "gen_ai.agent.name": agentName(task, event.agent), "error.type": failure };
        add(agentTime, durationMs / 1000, name);
        return addUsage(usage);
      }
      case "agent.delayed":
        return addUsage(event.usage);
      case "gate.judged": {
        const { status, durationMs, carriedFrom, usage } = event.verdict;
        if (carriedFrom !== undefined) return;
        add(verdicts, 1, { "converge.gate": event.gate, "converge.status": status });
        if (status !== "skipped") add(gateTime, durationMs / 1000, { "converge.gate": event.gate });
        return addUsage(usage);
      }
      case "memory.noted":
        return addUsage(event.note.usage);
      case "iteration.started":
        return add(iterations, 1, {});
      case "run.ended":
        return add(runs, 1, { "converge.outcome": event.outcome });
    }
  };
  return { count, all: [runs, iterations, verdicts, cost, agentTime, gateTime, tokens] };
}

// Converts an event to the spans it closes: run → iteration → agent, gate, memory. Spans hold numbers and names, never
// text of agents or people.
import type { AgentResult, Usage } from "#spec/agent";
import type { EventOf, RunEvent } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import type { Task } from "#spec/task";
import { component } from "#text/labels";
import { iterationSpan, runSpan, stepSpan, traceOf } from "./trace.ts";

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

function usageAttributes({ inputTokens, outputTokens, cachedTokens, costUsd }: Usage = {}): Attributes {
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cachedTokens,
    "converge.cost_usd": costUsd,
  };
}

/** Names a command by its type alone: its command line may hold anything. */
export function agentName({ agents }: Task, index: number): string {
  const used = agents[index];
  if (!used) return "";
  return used.type === "inline" || used.type === "session" ? component(used) : used.type;
}

type Body = Pick<Span, "name" | "attributes"> & Partial<Pick<Span, "isError">>;

/** A step of a run: the run before the event that ends it, and its iteration. */
interface RunStep {
  readonly before: Run;
  readonly event: RunEvent;
  readonly iteration: number;
}

/** The span of a step; `from` is when the step started. */
function stepSpanOf({ before, event, iteration }: RunStep, from: number, body: Body): Span {
  const to = Date.parse(event.time);
  return {
    trace: traceOf(before).id,
    id: stepSpan(before.id, before.seq),
    parent: iterationSpan(before.id, iteration),
    from: Math.min(from, to),
    to,
    isError: false,
    ...body,
    attributes: { "converge.run": before.id, "converge.iteration": iteration, ...body.attributes },
  };
}

/** When the step started by its own duration, but not before its iteration. */
function startOf({ before, event, iteration }: RunStep, durationMs: number): number {
  const { startedAt } = before.iterations.find(({ number }) => number === iteration) ?? before.baseline;
  return Math.max(Date.parse(startedAt), Date.parse(event.time) - Math.round(durationMs));
}

type AgentEvent = EventOf<"agent.finished" | "agent.replaced">;

function agentSpan(before: Run, event: AgentEvent): Span {
  const { iteration, result, agent } = event;
  const { ok, failure, model, usage, sessionId }: AgentResult = result;
  const step = { before, event, iteration };
  return stepSpanOf(step, startOf(step, result.durationMs), {
    name: "agent",
    isError: !ok,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agentName(before.task, agent),
      "gen_ai.response.model": model,
      "gen_ai.conversation.id": sessionId,
      ...usageAttributes(usage),
      "error.type": failure,
    },
  });
}

/** The span of an agent that was rate limited or interrupted. */
function unfinishedAgentSpan(step: RunStep, why: string, usage?: Usage): Span {
  const { before } = step;
  const delayed = before.iterations.at(-1)?.delayedUntil ?? before.updatedAt;
  const from = Math.max(Date.parse(before.updatedAt), Date.parse(delayed));
  return stepSpanOf(step, from, {
    name: "agent",
    isError: true,
    attributes: { "gen_ai.operation.name": "invoke_agent", ...usageAttributes(usage), "error.type": why },
  });
}

function gateSpans(before: Run, event: EventOf<"gate.judged">): Span[] {
  const { iteration, gate, verdict } = event;
  const { status, score, durationMs, carriedFrom, usage } = verdict;
  if (status === "skipped" || carriedFrom !== undefined) return [];
  const attributes = {
    "converge.gate": gate,
    "converge.status": status,
    "converge.score": score,
    ...usageAttributes(usage),
  };
  const step = { before, event, iteration };
  const body = { name: "gate", isError: status === "errored", attributes };
  return [stepSpanOf(step, startOf(step, durationMs), body)];
}

function iterationSpanOf(run: Run, { number, startedAt, score, snapshot }: Iteration, to: number): Span {
  return {
    trace: traceOf(run).id,
    id: iterationSpan(run.id, number),
    parent: runSpan(run.id),
    name: number === 0 ? "baseline" : "iteration",
    from: Date.parse(startedAt),
    to,
    isError: false,
    attributes: {
      "converge.run": run.id,
      "converge.iteration": number,
      "converge.score": score,
      "converge.changed_files": snapshot?.changeCount,
    },
  };
}

function runSpanOf(run: Run, event: EventOf<"run.ended">): Span {
  const { id, parent } = traceOf(run);
  return {
    trace: id,
    id: runSpan(run.id),
    ...(parent && { parent }),
    name: "run",
    from: Date.parse(run.startedAt),
    to: Date.parse(event.time),
    isError: event.outcome === "error",
    attributes: {
      "converge.run": run.id,
      "converge.outcome": event.outcome,
      "converge.partial": event.partial,
      "converge.iterations": event.iterations,
      "converge.score": (run.iterations.at(-1) ?? run.baseline).score,
      "converge.strategy": run.task.strategy.type,
    },
  };
}

/** An iteration ends when the next one begins or the run ends. Its span is sent again if it continues after that. */
const current = (run: Run): Iteration => run.iterations.at(-1) ?? run.baseline;

/** `before` is the run before the event. */
export function spansOf(before: Run, event: RunEvent): Span[] {
  const to = Date.parse(event.time);
  switch (event.type) {
    case "agent.finished":
    case "agent.replaced":
      return [agentSpan(before, event)];
    case "agent.delayed":
      return [
        unfinishedAgentSpan({ before, event, iteration: event.iteration }, "rate-limited", event.usage),
      ];
    case "iteration.interrupted":
      return [unfinishedAgentSpan({ before, event, iteration: event.iteration }, "interrupted")];
    case "gate.judged":
      return gateSpans(before, event);
    case "memory.noted": {
      const attributes = usageAttributes(event.note.usage);
      const from = Date.parse(before.updatedAt);
      const step = { before, event, iteration: event.iteration };
      return [stepSpanOf(step, from, { name: "memory", attributes })];
    }
    case "iteration.started":
      return [iterationSpanOf(before, current(before), to)];
    case "run.ended":
      return [iterationSpanOf(before, current(before), to), runSpanOf(before, event)];
    default:
      return [];
  }
}

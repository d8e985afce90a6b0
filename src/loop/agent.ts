// The agent step: picks the agent and its session, and handles rate limits (backoff), failover and blocked agents.

import { backoffMs } from "#rules/backoff";
import type { AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import type { EventBody } from "#spec/event";
import { AGENT_PART } from "#spec/ports";
import type { Run } from "#spec/run";
import { timeIsUp, timeReason } from "./limits.ts";
import { cannotWork, iterationOf } from "./standing.ts";
import { type IterationContext, type Step, sleepUndisturbed } from "./step.ts";
import { end } from "./steps.ts";

const MOST_DELAYS = 20;
const BACKOFF = { firstMs: 30_000, maxMs: 15 * 60_000 };

/** One try of an agent at an iteration. */
interface Attempt extends IterationContext {
  /** Index in the task's list of agents. */
  readonly agent: number;
}

function ableAgents({ task, unable }: Run): number[] {
  return [...task.agents.keys()].filter((index) => !unable.includes(index));
}

/** Index of the agent in the task: the first able one, or the next in rotation. */
function agentFor(run: Run, iteration: number): number {
  const able = ableAgents(run);
  return able[run.task.rotate ? (iteration - 1) % able.length : 0] ?? 0;
}

/** The agent's last session, unless its context is too long or the decision asks for a fresh start. */
function sessionFor(run: Run, agent: number): string | undefined {
  if (run.task.context !== "resume" || run.iterations.at(-2)?.decision?.fresh) return undefined;
  const last = run.iterations.findLast(({ by }) => by === agent)?.agent;
  return last?.failure === "context-too-long" ? undefined : last?.sessionId;
}

function requestFor({ run, iteration, agent, ports }: Attempt): AgentRequest {
  const { limits } = run.task;
  const left = limits.timeMs === undefined ? Number.POSITIVE_INFINITY : limits.timeMs - ports.elapsed();
  const session = sessionFor(run, agent);
  return {
    run: run.id,
    iteration: iteration.number,
    prompt: iteration.prompt,
    dir: ports.workspace.dir,
    files: ports.filesFor(iteration.number, AGENT_PART),
    timeoutMs: Math.max(1, Math.min(limits.iterationMs, left)),
    ...(limits.idleMs !== undefined && { idleMs: limits.idleMs }),
    ...(session !== undefined && { session }),
    ...(ports.isolation && { isolation: ports.isolation }),
  };
}

/** Reports `blocked` when the agent was refused a permission and changed no file: a person must decide. */
async function blockedIfRefused(result: AgentResult, { iteration, ports }: Attempt): Promise<AgentResult> {
  const [first] = result.refused ?? [];
  if (first === undefined || cannotWork(result) || (await ports.workspace.snapshot()).tree !== iteration.from)
    return result;
  return { ...result, ok: false, failure: "blocked", blockedBy: "permission", reason: first };
}

type FinalEvent = Exclude<AgentEvent, { type: "activity" }>;

async function runToEnd(attempt: Attempt): Promise<FinalEvent> {
  const { run, ports, signal } = attempt;
  const agent = ports.agents[attempt.agent];
  if (!agent) throw new Error(`run ${run.id} has no agent ${attempt.agent}`);
  for await (const event of agent.run(requestFor(attempt), signal)) {
    if (event.type === "away") return event;
    if (event.type === "finished") return { ...event, result: await blockedIfRefused(event.result, attempt) };
    ports.onActivity(event.text);
  }
  throw new Error(`agent ${agent.name} ended without a final event`);
}

/** Backs off after a rate limit, exponentially unless the agent names a delay. This uses up no iteration. */
function delay({ iteration, ports }: Attempt, result: AgentResult): EventBody {
  const wait = result.retryAfterMs ?? backoffMs(iteration.delays, BACKOFF);
  const until = new Date(Date.parse(ports.now()) + wait).toISOString();
  const reason = result.reason ?? "rate limit";
  return { type: "agent.delayed", iteration: iteration.number, until, reason, usage: result.usage };
}

/** The agent that takes over from one that cannot work or is rate-limited for long. */
function successor({ run, agent }: Attempt, result: AgentResult): number | undefined {
  const isAway = result.failure === "rate-limited" && (result.retryAfterMs ?? 0) > BACKOFF.maxMs;
  if (!cannotWork(result) && !isAway) return undefined;
  return ableAgents(run).find((index) => index !== agent);
}

/** Records the result, or that the agent is delayed or replaced. */
function eventFor(attempt: Attempt, result: AgentResult): EventBody {
  const { run, iteration, agent, ports } = attempt;
  const { number } = iteration;
  const by = successor(attempt, result);
  if (by !== undefined) return { type: "agent.replaced", iteration: number, agent, by, result };
  if (result.failure === "rate-limited" && iteration.delays < MOST_DELAYS) return delay(attempt, result);
  // A session is the user's own process: it is never sandboxed.
  const isSession = run.task.agents[agent]?.type === "session";
  const isolation = ports.isolation && !isSession && { isolation: ports.isolation.tier };
  return { type: "agent.finished", iteration: number, agent, ...isolation, result };
}

export const runAgent: Step = async function* (context) {
  const { run, ports, signal } = context;
  const iteration = iterationOf(run, run.iterations.length);
  const wait = iteration.delayedUntil ? Date.parse(iteration.delayedUntil) - Date.parse(ports.now()) : 0;
  const ready = await sleepUndisturbed(wait, context);
  if (timeIsUp(run, ports.elapsed())) return yield* end("diverged", timeReason(run))(context);
  if (!ready) return;
  const attempt = { ...context, iteration, agent: agentFor(run, iteration.number) };
  const last = await runToEnd(attempt);
  if (last.type === "away") return yield { ...last, type: "agent.away", iteration: iteration.number };
  if (!signal.aborted) return yield eventFor(attempt, last.result);
  const { tree } = await ports.workspace.snapshot();
  yield {
    type: "iteration.interrupted",
    iteration: iteration.number,
    tree,
    reason: "the agent was stopped",
  };
};

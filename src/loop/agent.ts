// The agent's step: who works, in which session, and what becomes of it when it has to wait or cannot work.

import type { AgentEvent, AgentRequest, AgentResult } from "#spec/agent";
import type { EventBody } from "#spec/event";
import { AGENT_PART } from "#spec/log-parts";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { timeIsUp, timeReason } from "./limits.ts";
import { cannotWork, iterationOf } from "./standing.ts";
import { end, type Step, waited } from "./steps.ts";

const MOST_DELAYS = 20;
const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 15 * 60_000;

function ableAgents({ task, unable }: Run): number[] {
  return [...task.agents.keys()].filter((index) => !unable.includes(index));
}

/** Its place in the task: the first that can work, or the one whose turn it is. */
function agentFor(run: Run, iteration: number): number {
  const able = ableAgents(run);
  return able[run.task.rotate ? (iteration - 1) % able.length : 0] ?? 0;
}

/** The session that the same agent had last, unless it has grown too long or is to be forgotten. */
function sessionFor(run: Run, agent: number): string | undefined {
  if (run.task.context !== "resume" || run.iterations.at(-2)?.decision?.fresh) return undefined;
  const last = run.iterations.findLast(({ by }) => by === agent)?.agent;
  return last?.failure === "context-too-long" ? undefined : last?.sessionId;
}

function requestFor(run: Run, iteration: Iteration, agent: number, ports: Ports): AgentRequest {
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

/** What it was refused kept it from doing anything at all: that is no iteration, it is a question to a person. */
async function settled(result: AgentResult, { from }: Iteration, ports: Ports): Promise<AgentResult> {
  const [first] = result.refused ?? [];
  if (first === undefined || cannotWork(result) || (await ports.workspace.snapshot()).tree !== from)
    return result;
  return { ...result, ok: false, failure: "blocked", blockedBy: "permission", reason: first };
}

type LastWord = Exclude<AgentEvent, { type: "activity" }>;

async function lastWord(
  run: Run,
  iteration: Iteration,
  index: number,
  ports: Ports,
  signal: AbortSignal,
): Promise<LastWord> {
  const agent = ports.agents[index];
  if (!agent) throw new Error(`run ${run.id} has no agent ${index}`);
  for await (const event of agent.run(requestFor(run, iteration, index, ports), signal)) {
    if (event.type === "away") return event;
    if (event.type === "finished") return { ...event, result: await settled(event.result, iteration, ports) };
    ports.onActivity(event.text);
  }
  throw new Error(`agent ${agent.name} ended without saying how`);
}

/** The agent asked to come back later. That is no iteration used up, but it is bounded. */
function delay(iteration: Iteration, result: AgentResult, ports: Ports): EventBody {
  const wait = result.retryAfterMs ?? Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** iteration.delays);
  const until = new Date(Date.parse(ports.now()) + wait).toISOString();
  const reason = result.reason ?? "rate limit";
  return { type: "agent.delayed", iteration: iteration.number, until, reason, usage: result.usage };
}

/** Who takes over from an agent that cannot work, or not for a long time. */
function successor(run: Run, agent: number, result: AgentResult): number | undefined {
  const isAway = result.failure === "rate-limited" && (result.retryAfterMs ?? 0) > LONGEST_DELAY_MS;
  if (!cannotWork(result) && !isAway) return undefined;
  return ableAgents(run).find((index) => index !== agent);
}

function concluded(
  run: Run,
  iteration: Iteration,
  agent: number,
  result: AgentResult,
  ports: Ports,
): EventBody {
  const { number } = iteration;
  const by = successor(run, agent, result);
  if (by !== undefined) return { type: "agent.replaced", iteration: number, agent, by, result };
  if (result.failure === "rate-limited" && iteration.delays < MOST_DELAYS)
    return delay(iteration, result, ports);
  // A session is not ours to shut off.
  const isSession = run.task.agents[agent]?.type === "session";
  const isolation = ports.isolation && !isSession && { isolation: ports.isolation.tier };
  return { type: "agent.finished", iteration: number, agent, ...isolation, result };
}

export const runAgent: Step = async function* (run, ports, signal) {
  const iteration = iterationOf(run, run.iterations.length);
  const wait = iteration.delayedUntil ? Date.parse(iteration.delayedUntil) - Date.parse(ports.now()) : 0;
  const ready = await waited(wait, run, ports, signal);
  if (timeIsUp(run, ports.elapsed())) return yield* end("diverged", timeReason(run))(run, ports, signal);
  if (!ready) return;
  const agent = agentFor(run, iteration.number);
  const said = await lastWord(run, iteration, agent, ports, signal);
  if (said.type === "away") return yield { ...said, type: "agent.away", iteration: iteration.number };
  if (!signal.aborted) return yield concluded(run, iteration, agent, said.result, ports);
  const { tree } = await ports.workspace.snapshot();
  yield {
    type: "iteration.interrupted",
    iteration: iteration.number,
    tree,
    reason: "the agent was stopped",
  };
};

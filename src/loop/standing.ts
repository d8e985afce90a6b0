// Derives from a run's state whether to continue or roll back, and whose decision counts.

import { hasPromise, isSuccess, succeeded } from "#rules/success";
import type { AgentResult } from "#spec/agent";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { plain } from "#text/plain-text";
import { directed } from "./direction.ts";
import { reachedLimit } from "./limits.ts";
import { exhaustedReason } from "./policy.ts";

/** Maximum number of protected paths in a reason. */
const NAMED = 5;

export function iterationOf(run: Run, number: number): Iteration {
  const iteration = number === 0 ? run.baseline : run.iterations.at(number - 1);
  if (!iteration) throw new Error(`run ${run.id} has no iteration ${number}`);
  return iteration;
}

/** Whether the iteration is decided and another one is wanted; the limits decide whether that one may start. */
export function shouldContinue(run: Run, iteration: Iteration): boolean {
  if (!iteration.decision) return false;
  // A reopened run that had succeeded only needs its delivery, unless somebody steers it.
  if (run.reopened) return !succeeded(run, iteration) || run.steering.length > 0;
  return iteration.decision.continue && !succeeded(run, iteration) && exhaustedReason(run) === undefined;
}

/** Whether the agent failed for a reason that no iteration can change: permission, login, quota, missing program. */
export function cannotWork(agent: AgentResult): boolean {
  return agent.failure === "blocked" || agent.failure === "not-found";
}

/** The reason to end the run when the agent changed protected files and the action is `fail`. */
export function tamperingReason({ tampering }: Iteration): string | undefined {
  if (tampering?.action !== "fail") return undefined;
  const paths = tampering.changes.map(({ path }) => plain(path));
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  return `the agent changed what is protected: ${paths.slice(0, NAMED).join(", ")}${more}`;
}

/** The iteration to restore before continuing; undefined when the files already match it. */
export function rollbackTarget(run: Run): number | undefined {
  const back = run.iterations.at(-1)?.decision?.rollbackTo;
  if (back === undefined) return undefined;
  return iterationOf(run, back).snapshot?.tree === run.tree ? undefined : back;
}

/** Called once per iteration. Passing gates override everyone, a limit overrides continuing, a person the strategy. */
export async function decisionFor(run: Run, strategy: Strategy): Promise<Decision> {
  const decision = await proposeDecision(run, strategy);
  const iteration = iterationOf(run, run.iterations.length);
  if (succeeded(run, iteration) || decision.accept || decision.wait) return decision;
  if (iteration.direction?.choice === "stop") return decision;
  const reached = reachedLimit(run);
  // A strategy that stops keeps its reason, except for agent failures: no strategy knows about those.
  const isReason = decision.continue || reached?.limit === "agentFailures";
  const reason = isReason
    ? (reached?.reason ?? (decision.continue ? exhaustedReason(run) : undefined))
    : undefined;
  if (reason === undefined) return decision;
  const { metadata } = decision;
  return { continue: false, reason, confidence: 1, ...(metadata && { metadata }) };
}

async function proposeDecision(run: Run, strategy: Strategy): Promise<Decision> {
  const iteration = iterationOf(run, run.iterations.length);
  const decision = directed(run) ?? (await strategy(run));
  const passed = succeeded(run, iteration);
  if (passed && decision.continue) return { continue: false, reason: "all gates pass", confidence: 1 };
  if (passed || iteration.direction || !isSuccess(run, iteration)) return decision;
  // The strategy decides whether to ask for the promise once more.
  if (run.task.requirePromise && !hasPromise(run, iteration)) return decision;
  const reason = "the gates pass, but nothing was changed and a change is required";
  return { continue: true, reason, feedback: reason, confidence: 1 };
}

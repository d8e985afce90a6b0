// Names of task settings, run states and decisions, for people.

import type { AgentFailure, Isolated } from "#spec/agent";
import type { Decision } from "#spec/decision";
import type { Outcome } from "#spec/event";
import { type StateWord, stateName } from "#spec/overview";
import type { Run } from "#spec/run";
import type { Limits, Task } from "#spec/task";
import { oneLine } from "#text/plain-text";
import { amount, counted, duration, money } from "./format.ts";
import type { Glyphs } from "./glyphs.ts";
import type { Tone } from "./style.ts";

export function workspace({ workspace: { git, type } }: Task): string {
  if (git) return oneLine(`${git.url} at ${git.ref}`, 120);
  return type === "in-place" ? "in place" : type;
}

/** The isolation tier with its sandbox, or with the reason why it is not stricter. */
export const isolation = ({ tier, by, why }: Isolated): string =>
  tier + (by ? ` (${by})` : why === undefined ? "" : `: ${why}`);

/** The number of protected paths; empty if nothing is protected. */
export const protects = ({ protect }: Task): string[] =>
  protect ? [`protects ${counted(protect.paths.length, "path")}`] : [];

/** The limits of a run; empty if there are none. */
export function limits(value: Partial<Limits>, glyphs: Glyphs): string[] {
  const set = [
    ...(value.iterations === undefined ? [] : [counted(value.iterations, "iteration")]),
    ...hours(value),
    ...(value.tokens === undefined ? [] : [`${amount(value.tokens)} tokens`]),
    ...(value.cost === undefined ? [] : [money(value.cost, glyphs)]),
  ];
  return set.length === 0 ? [] : [`up to ${set.join(", ")}`];
}

/** The time limit of the run, or else the maximum agent time, which excludes gates. */
function hours({ timeMs, iterations, iterationMs }: Partial<Limits>): string[] {
  if (timeMs !== undefined) return [duration(timeMs)];
  if (iterations === undefined || iterationMs === undefined) return [];
  return [`${duration(iterations * iterationMs)} of agent time`];
}

const FAILURES: Readonly<Record<AgentFailure, string>> = {
  "not-found": "was not found",
  crashed: "crashed",
  "timed-out": "timed out",
  idle: "went silent",
  "rate-limited": "was rate limited",
  "context-too-long": "ran out of context",
  blocked: "is blocked",
  cancelled: "was cancelled",
};

export const agentFailure = (kind: AgentFailure | undefined): string => FAILURES[kind ?? "crashed"];

interface Said {
  readonly sign: string;
  readonly tone: Tone;
  readonly text: string;
}

/** A decision without its reason. */
export function decided(decision: Decision, glyphs: Glyphs): Said {
  const { rollbackTo } = decision;
  if (decision.continue && rollbackTo !== undefined)
    return { sign: glyphs.goOn, tone: "warn", text: `continue from ${iterationName(rollbackTo)}` };
  if (decision.continue) return { sign: glyphs.goOn, tone: "accent", text: "continue" };
  if (decision.wait) return { sign: glyphs.pause, tone: "warn", text: "wait for a person" };
  if (decision.accept) return { sign: glyphs.status.passed, tone: "good", text: "accept" };
  return { sign: glyphs.halt, tone: "strong", text: "stop" };
}

/** Shown if a process keeps waiting for the answer of a person. */
export const WAITS = "goes on by itself once there is an answer; Ctrl-C stops";

export const iterationName = (number: number): string => (number === 0 ? "the base" : `iteration ${number}`);

const OUTCOMES: Readonly<Record<Outcome, Tone>> = {
  converged: "good",
  diverged: "bad",
  stopped: "warn",
  blocked: "bad",
  error: "bad",
};

/** The state or outcome of a run. `standing` is its state if the caller has checked for a driver. */
export function state(run: Run, standing?: StateWord): { readonly word: string; readonly tone: Tone } {
  if (run.ended?.partial) return { word: `${run.ended.outcome} in part`, tone: "warn" };
  if (run.ended) return { word: stateName(run.ended.outcome), tone: OUTCOMES[run.ended.outcome] };
  if (standing === "interrupted" || standing === "queued")
    return { word: standing, tone: standing === "queued" ? "accent" : "warn" };
  return { word: run.state, tone: run.state === "running" || run.state === "away" ? "accent" : "warn" };
}

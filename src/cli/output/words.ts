// Names of task settings, run states and decisions, for people.

import type { Isolated } from "#spec/agent";
import type { Decision } from "#spec/decision";
import type { StateWord } from "#spec/overview";
import type { Run } from "#spec/run";
import type { Limits, Task } from "#spec/task";
import { oneLine } from "#text/plain-text";
import {
  type DecisionKind,
  decisionKind,
  describeDecision,
  type Mood,
  stateMood,
  stateName,
} from "#text/words";
import { amount, counted, duration, money } from "./format.ts";
import type { Glyphs } from "./glyphs.ts";
import type { Tone } from "./style.ts";

export { agentFailure, iterationName } from "#text/words";

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

interface DecisionText {
  readonly sign: string;
  readonly tone: Tone;
  readonly text: string;
}

const DECISION_TONES: Readonly<Record<DecisionKind, Tone>> = {
  continue: "accent",
  steer: "accent",
  rollback: "warn",
  wait: "warn",
  accept: "good",
  stop: "strong",
};

/** A decision without its reason. */
export function decided(decision: Decision, glyphs: Glyphs): DecisionText {
  const kind = decisionKind(decision);
  return { sign: glyphs.decision[kind], tone: DECISION_TONES[kind], text: describeDecision(decision) };
}

/** Shown if a process keeps waiting for the answer of a person. */
export const WAITS = "goes on by itself once there is an answer; Ctrl-C stops";

const MOOD_TONES: Readonly<Record<Mood, Tone>> = { good: "good", bad: "bad", warn: "warn", active: "accent" };

/** The state or outcome of a run. `standing` is its state if the caller has checked for a driver. */
export function state(run: Run, standing?: StateWord): { readonly word: string; readonly tone: Tone } {
  const { ended } = run;
  const current = ended?.outcome ?? (isWithoutDriver(standing) ? standing : openState(run));
  const partial = ended?.partial ?? false;
  return { word: stateName(current, partial), tone: MOOD_TONES[stateMood(current, partial)] };
}

const isWithoutDriver = (standing: StateWord | undefined): standing is "interrupted" | "queued" =>
  standing === "interrupted" || standing === "queued";

/** An ended run has an outcome, so a run without one that says "ended" was cut off in between. */
const openState = ({ state: open }: Run): StateWord => (open === "ended" ? "interrupted" : open);

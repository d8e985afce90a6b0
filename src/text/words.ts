// The words and signs for verdicts, decisions, states and iterations that terminal, page and report share. Events, JSON
// output, the HTTP API and metrics keep the names of the types.
import type { AgentFailure } from "#spec/agent";
import type { Command } from "#spec/command";
import type { Decision } from "#spec/decision";
import type { GateCell, StateWord } from "#spec/overview";
import type { Failing } from "#spec/progress";
import { ranTests, type VerdictStatus } from "#spec/verdict";
import { formatFailing, percent, testFraction, UNKNOWN } from "./format.ts";

/** A sign, and what stands for it where only ASCII can be shown. */
export interface Sign {
  readonly unicode: string;
  readonly ascii: string;
}

const sign = (unicode: string, ascii: string): Sign => ({ unicode, ascii });

export const VERDICT_SIGNS: Readonly<Record<VerdictStatus, Sign>> = {
  passed: sign("✔", "+"),
  failed: sign("✘", "x"),
  skipped: sign("○", "o"),
  waiting: sign("…", "?"),
  errored: sign("!", "!"),
};

export const verdictSign = (status: VerdictStatus): string => VERDICT_SIGNS[status].unicode;

export type DecisionKind = "continue" | "steer" | "rollback" | "wait" | "accept" | "stop";

export function decisionKind(decision: Decision): DecisionKind {
  if (decision.wait) return "wait";
  if (!decision.continue) return decision.accept ? "accept" : "stop";
  if (decision.rollbackTo !== undefined) return "rollback";
  return decision.feedback === undefined ? "continue" : "steer";
}

export const DECISION_SIGNS: Readonly<Record<DecisionKind, Sign>> = {
  continue: sign("→", ">"),
  steer: sign("◆", ">"),
  rollback: sign("↶", "<"),
  wait: sign("?", "?"),
  accept: VERDICT_SIGNS.passed,
  stop: sign("■", "#"),
};

export const decisionSign = (kind: DecisionKind): string => DECISION_SIGNS[kind].unicode;

/** The kinds of decisions as a legend names them. */
export const DECISION_WORDS: Readonly<Record<DecisionKind, string>> = {
  continue: "continue",
  steer: "continue with feedback",
  rollback: "continue from an earlier iteration",
  wait: "wait for a person",
  accept: "accept",
  stop: "stop",
};

/** A decision without its reason: "continue", "continue from iteration 2", "stop". */
export function describeDecision(decision: Decision): string {
  if (decision.continue && decision.rollbackTo !== undefined)
    return `continue from ${iterationName(decision.rollbackTo)}`;
  return decision.continue ? "continue" : DECISION_WORDS[decisionKind(decision)];
}

/** Whether a state is good news, bad news, needs attention, or is work in progress. */
export type Mood = "good" | "bad" | "warn" | "active";

interface StateEntry {
  readonly word: string;
  readonly sign: string;
  readonly mood: Mood;
}

const STATES: Readonly<Record<StateWord, StateEntry>> = {
  running: { word: "running", sign: "▶", mood: "active" },
  away: { word: "away", sign: "↗", mood: "active" },
  queued: { word: "queued", sign: "…", mood: "active" },
  paused: { word: "paused", sign: "‖", mood: "warn" },
  waiting: { word: "waiting", sign: "?", mood: "warn" },
  interrupted: { word: "interrupted", sign: "!", mood: "warn" },
  converged: { word: "converged", sign: VERDICT_SIGNS.passed.unicode, mood: "good" },
  // A run that hit a limit while it got better has not diverged.
  diverged: { word: "not solved", sign: VERDICT_SIGNS.failed.unicode, mood: "bad" },
  stopped: { word: "stopped", sign: "■", mood: "warn" },
  blocked: { word: "blocked", sign: "⊘", mood: "bad" },
  error: { word: "error", sign: "!", mood: "bad" },
  tampered: { word: "tampered", sign: "‼", mood: "bad" },
};

export const stateSign = (state: StateWord): string => STATES[state].sign;

/** `partial`: the run was accepted although gates are red. */
export const stateName = (state: StateWord, partial = false): string =>
  partial ? `${STATES[state].word} in part` : STATES[state].word;

export const stateMood = (state: StateWord, partial = false): Mood => (partial ? "warn" : STATES[state].mood);

/** In a sentence: "the baseline", "iteration 2". */
export const iterationName = (number: number): string =>
  number === 0 ? "the baseline" : `iteration ${number}`;

/** As a heading: "Baseline", "Iteration 2". */
export const iterationTitle = (number: number): string => (number === 0 ? "Baseline" : `Iteration ${number}`);

/** In a column or on an axis that is named "iteration": "baseline", "2". */
export const iterationLabel = (number: number): string => (number === 0 ? "baseline" : String(number));

const AGENT_FAILURES: Readonly<Record<AgentFailure, string>> = {
  "not-found": "was not found",
  crashed: "crashed",
  "timed-out": "timed out",
  idle: "went silent",
  "rate-limited": "was rate limited",
  "context-too-long": "ran out of context",
  blocked: "is blocked",
  cancelled: "was cancelled",
};

/** What became of the agent: "timed out". */
export const agentFailure = (kind: AgentFailure | undefined): string => AGENT_FAILURES[kind ?? "crashed"];

interface Standing {
  readonly failing?: Failing;
  readonly score?: number;
}

/** "3 failing" where tests are counted, else the score. */
export function level({ failing, score }: Standing): string {
  if (failing) return `${failing.now} failing`;
  return score === undefined ? UNKNOWN : percent(score);
}

/** "4 → 3 failing" where tests are counted, else the score. */
export const standing = ({ failing, score }: Standing): string =>
  failing ? formatFailing(failing) : level(score === undefined ? {} : { score });

/** What a verdict says beyond its status: failing tests, passing tests or a partial score; empty when there is nothing. */
export function measure({ status, tests, score }: Pick<GateCell, "status" | "tests" | "score">): string {
  if (status === "skipped" || status === "waiting") return "";
  if (tests && status === "failed" && tests.failed > 0) return `${tests.failed} failing`;
  if (tests && ranTests(tests) > 0) return testFraction(tests);
  return status === "failed" && score > 0 ? percent(score) : "";
}

/** What a person did, without the text that came with it. */
export function describeCommand(command: Command): string {
  switch (command.type) {
    case "approve":
      return `${command.by} approved ${command.gate}`;
    case "reject":
      return `${command.by} rejected ${command.gate}`;
    case "decide":
      return `a person decided: ${describeChoice(command)}`;
    case "steer":
      return "a person steered";
    case "stop":
      return "a person asked for a stop";
    case "pause":
      return "a person asked for a pause";
  }
}

function describeChoice({ choice, iteration }: Extract<Command, { type: "decide" }>): string {
  if (choice !== "rollback") return choice;
  return iteration === undefined ? "roll back" : `roll back to ${iterationName(iteration)}`;
}

/** The text that came with a command. */
export function commandText(command: Command): string {
  switch (command.type) {
    case "approve":
    case "reject":
      return command.message ?? "";
    case "decide":
      return command.feedback ?? "";
    case "steer":
      return command.text;
    case "stop":
      return command.reason;
    case "pause":
      return "";
  }
}

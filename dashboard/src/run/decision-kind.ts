// What a decision came down to, in one word with a sign.
import type { Decision } from "#spec/decision";

export type DecisionKind = "continue" | "steer" | "rollback" | "stop" | "accept" | "wait";

export function decisionKind(decision: Decision): DecisionKind {
  if (decision.wait) return "wait";
  if (!decision.continue) return decision.accept ? "accept" : "stop";
  if (decision.rollbackTo !== undefined) return "rollback";
  return decision.feedback === undefined ? "continue" : "steer";
}

export const DECISION_SIGNS: Readonly<Record<DecisionKind, string>> = {
  continue: "→",
  steer: "◆",
  rollback: "↶",
  stop: "■",
  accept: "✓",
  wait: "?",
};

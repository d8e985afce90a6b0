// Wording that all formats of a report share.
import type { Command } from "#spec/command";
import type { Decision } from "#spec/decision";
import { type GateCell, type IterationRow, type Overview, type StateWord, stateName } from "#spec/overview";
import type { VerdictStatus } from "#spec/verdict";
import { counted, duration, money, percent, testFraction } from "#text/format";

export const SIGNS: Readonly<Record<VerdictStatus, string>> = {
  passed: "✔",
  failed: "✘",
  waiting: "…",
  skipped: "○",
  errored: "!",
};

/** Whether a state is good, bad, or neither yet. */
export function moodOf(state: StateWord, partial: boolean): "good" | "bad" | "warn" {
  if (state === "converged") return partial ? "warn" : "good";
  return state === "diverged" || state === "error" || state === "tampered" ? "bad" : "warn";
}

export function stateOf({ state, partial }: Pick<Overview, "state" | "partial">): string {
  return partial ? `${state}, although gates are red` : stateName(state);
}

export const nameOf = (iteration: number): string => (iteration === 0 ? "base" : String(iteration));

/** The text of a cell in the matrix. */
export function measureOf({ status, tests, score }: GateCell): string {
  if (status === "waiting" || status === "skipped") return status;
  if (tests && status === "failed" && tests.failed > 0) return `${tests.failed} failing`;
  return tests && tests.total > 0 ? testFraction(tests) : percent(score);
}

/** Failing tests where they are counted, otherwise the score. */
export function standingOf({ failing, score }: Pick<IterationRow, "failing" | "score">): string {
  if (failing) return `${failing.now} failing`;
  return score === undefined ? "–" : percent(score);
}

/** How far the best iteration came, in the measure of all others. */
export function levelOf(
  { rows }: Pick<Overview, "rows">,
  best: { iteration: number; score: number },
): string {
  return standingOf(rows.find(({ number }) => number === best.iteration) ?? best);
}

export function describeDecision(decision: Decision): string {
  if (decision.continue)
    return decision.rollbackTo === undefined
      ? "continue"
      : `continue from ${decision.rollbackTo === 0 ? "the base" : decision.rollbackTo}`;
  if (decision.wait) return "ask a person";
  return decision.accept ? "accept" : "stop";
}

export function describeCommand(command: Command): string {
  switch (command.type) {
    case "approve":
    case "reject":
      return `${command.by} ${command.type === "approve" ? "approved" : "rejected"} ${command.gate}`;
    case "decide":
      return `decided: ${command.choice}${command.iteration === undefined ? "" : ` to ${command.iteration}`}`;
    case "steer":
      return "steered";
    case "stop":
      return "asked for a stop";
    case "pause":
      return "asked for a pause";
  }
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

export const PROTECTED_WORDS = {
  restore: "restored before the gates judged",
  fail: "the run ended because of it",
  allow: "allowed by the task",
} as const;

/** Gates, iterations, time and cost, one text each. */
export function figuresOf(overview: Overview): string[] {
  const { iterations, maxIterations, elapsedMs, costUsd, gatesPassed, gatesTotal } = overview;
  return [
    `${gatesPassed} of ${counted(gatesTotal, "gate")} green`,
    `${iterations} of ${counted(maxIterations, "iteration")}`,
    duration(elapsedMs),
    ...(costUsd === undefined ? [] : [money(costUsd)]),
  ];
}

/** What makes the verdict trustworthy: hash chain, clean rooms, protected files, isolation. */
export function describeVerification({ task, isolation, seq, rows, cautions }: Overview): string[] {
  const cleanRooms = task.gates.filter(({ policy }) => policy.cleanRoom).length;
  const { protect } = task;
  const tampered = rows.reduce((sum, row) => sum + row.tampered, 0);
  return [
    `The hash chain over the record's ${counted(seq, "event")} is intact.`,
    cleanRooms === 0
      ? "The gates judged in the workspace itself."
      : `${cleanRooms === task.gates.length ? "Every gate" : `${cleanRooms} of ${task.gates.length} gates`} judged a fresh copy of the files in a clean room.`,
    protect
      ? `${counted(protect.paths.length, "path or pattern", "paths and patterns")} protected; ${tampered === 0 ? "the agent changed none of them" : `the agent changed ${counted(tampered, "such file")}, ${PROTECTED_WORDS[protect.action]}`}.`
      : "Nothing was protected from the agent.",
    isolation
      ? `Agents ran with isolation "${isolation.tier}"${isolation.by ? ` by ${isolation.by}` : ""}.`
      : "The isolation of the agents is not recorded.",
    ...cautions.map((caution) => `Caution: ${caution}.`),
  ];
}

// The words that every form of a report uses for the same things.
import type { Command } from "#spec/command";
import type { Decision } from "#spec/decision";
import type { GateCell, IterationRow, Overview, StateWord } from "#spec/overview";
import { stateName } from "#spec/state-name";
import type { VerdictStatus } from "#spec/verdict";
import { counted, duration, money, percent, testFraction } from "#text/format";

export const SIGNS: Readonly<Record<VerdictStatus, string>> = {
  passed: "✔",
  failed: "✘",
  waiting: "…",
  skipped: "○",
  errored: "!",
};

/** Good, bad, or neither yet. */
export function moodOf(state: StateWord, partial: boolean): "good" | "bad" | "warn" {
  if (state === "converged") return partial ? "warn" : "good";
  return state === "diverged" || state === "error" || state === "tampered" ? "bad" : "warn";
}

export function stateOf({ state, partial }: Pick<Overview, "state" | "partial">): string {
  return partial ? `${state}, although gates are red` : stateName(state);
}

export const nameOf = (iteration: number): string => (iteration === 0 ? "base" : String(iteration));

/** As a cell of the matrix shows it. */
export function measureOf({ status, tests, score }: GateCell): string {
  if (status === "waiting" || status === "skipped") return status;
  if (tests && status === "failed" && tests.failed > 0) return `${tests.failed} failing`;
  return tests && tests.total > 0 ? testFraction(tests) : percent(score);
}

/** How far an iteration came: failing tests where they are counted, else the score. */
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

export function decisionWord(decision: Decision): string {
  if (decision.continue)
    return decision.rollbackTo === undefined
      ? "go on"
      : `go on from ${decision.rollbackTo === 0 ? "the base" : decision.rollbackTo}`;
  if (decision.wait) return "ask a person";
  return decision.accept ? "accept" : "stop";
}

export function saidWord(command: Command): string {
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

/** What they said with it. */
export function saidText(command: Command): string {
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
  restore: "put back before the gates judged",
  fail: "the run ended because of it",
  allow: "allowed by the task",
} as const;

/** In one line: how long, how many, how much. */
export function sizeOf(overview: Overview): string[] {
  const { iterations, maxIterations, elapsedMs, costUsd, gatesPassed, gatesTotal } = overview;
  return [
    `${gatesPassed} of ${counted(gatesTotal, "gate")} green`,
    `${iterations} of ${counted(maxIterations, "iteration")}`,
    duration(elapsedMs),
    ...(costUsd === undefined ? [] : [money(costUsd)]),
  ];
}

/** The files of the run that the verdict is about are what is on record: how that is known. */
export function verifiedBy({ task, isolation, seq, rows, cautions }: Overview): string[] {
  const rooms = task.gates.filter(({ policy }) => policy.cleanRoom).length;
  const { protect } = task;
  const tampered = rows.reduce((sum, row) => sum + row.tampered, 0);
  return [
    `The record's ${counted(seq, "event")} hold together: each carries a hash over the one before it.`,
    rooms === 0
      ? "The gates judged in the workspace itself."
      : `${rooms === task.gates.length ? "Every gate" : `${rooms} of ${task.gates.length} gates`} judged a fresh copy of the files, in an environment the agent had no hand in.`,
    protect
      ? `${counted(protect.paths.length, "path or pattern", "paths and patterns")} protected; ${tampered === 0 ? "the agent changed none of them" : `the agent changed ${counted(tampered, "such file")}, ${PROTECTED_WORDS[protect.action]}`}.`
      : "Nothing was protected from the agent.",
    isolation
      ? `Agents were shut off as "${isolation.tier}"${isolation.by ? ` by ${isolation.by}` : ""}.`
      : "How agents were shut off is not on record.",
    ...cautions.map((caution) => `Caution: ${caution}.`),
  ];
}

// What iterations, parts of a task and verdicts are called on the page.
import type { GateCell } from "#spec/overview";
import type { Component } from "#spec/task";
import type { VerdictStatus } from "#spec/verdict";
import { percent } from "../format.ts";

export const iterationName = (number: number): string => (number === 0 ? "Baseline" : `Iteration ${number}`);

/** A command is best known by what it runs, everything else by its type. */
export function componentName({ type, command, name }: Component): string {
  if (typeof command === "string") return command;
  if (Array.isArray(command)) return command.map(String).join(" ");
  return type === "inline" && typeof name === "string" ? name : type;
}

export const STATUS_SIGNS: Readonly<Record<VerdictStatus, string>> = {
  passed: "✓",
  failed: "✗",
  waiting: "?",
  skipped: "–",
  errored: "!",
};

/** What fails of a gate, or how many of its tests pass; else its score; nothing where there is nothing to count. */
export function fraction({ status, tests, score }: Pick<GateCell, "status" | "tests" | "score">): string {
  if (status === "skipped" || status === "waiting") return "";
  const ran = tests ? tests.passed + tests.failed : 0;
  if (tests && status === "failed" && tests.failed > 0) return `${tests.failed} failing`;
  if (tests && ran > 0) return `${tests.passed}/${ran}`;
  return status === "failed" && score > 0 ? percent(score) : "";
}

/** The cell in words; the fraction comes behind them. */
export function cellWords(iteration: number, { gate, status, carriedFrom, flaky }: GateCell): string {
  const carried = carriedFrom === undefined ? "" : `, carried over from iteration ${carriedFrom}`;
  return `${iterationName(iteration)}, ${gate}: ${status}${carried}${flaky ? ", flaky" : ""}`;
}

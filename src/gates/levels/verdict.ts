// Combines the results of all levels into one verdict.

import { sum } from "#parsers/shared/report";
import type { CheckResult, Failure, TestCounts, Verdict } from "#spec/verdict";
import { counted } from "#text/format";
import { head, plain } from "#text/plain-text";
import { type Level, type Result, shownId } from "./level.ts";

export interface JudgedLevel {
  readonly level: Level;
  readonly results: readonly Result[];
  /** Every check passed or only warned. */
  readonly isPassed: boolean;
}

const EVIDENCE_CHARS = 4_000;
const SUMMARY_CHARS = 400;
const MOST_FAILURES = 200;

export function levelsVerdict(judged: readonly JudgedLevel[], durationMs: number): Verdict {
  const checks = judged.flatMap(checksOf);
  const good = checks.filter(({ status }) => status === "passed" || status === "warned").length;
  const status = statusOf(judged);
  const tests = testsOf(judged);
  const isUnable = judged.some(({ results }) => results.some(({ unable }) => unable));
  return {
    status,
    // An errored check may work once the files change, unless it cannot run here at all.
    ...(status === "errored" && !isUnable && { mendable: true as const }),
    score: good / checks.length,
    summary: summaryOf(judged, status),
    failures: failuresOf(judged),
    ...(tests && { tests }),
    levels: passedLevels(judged),
    checks,
    evidence: { stdout: head(judged.flatMap(linesOf).join("\n"), EVIDENCE_CHARS) },
    durationMs,
  };
}

function checksOf({ level, results }: JudgedLevel): readonly CheckResult[] {
  return level.ids.map((id) => ({
    id: shownId(id),
    status: results.find((result) => result.id === id)?.status ?? "not-run",
  }));
}

/** The first level that does not pass decides. Checks that were not run although none failed were interrupted. */
function statusOf(judged: readonly JudgedLevel[]): "passed" | "failed" | "errored" {
  const first = judged.find(({ isPassed }) => !isPassed);
  if (first === undefined) return "passed";
  const statuses = first.results.map((result) => result.status);
  if (statuses.includes("errored")) return "errored";
  return statuses.length < first.level.ids.length ? "errored" : "failed";
}

/** A level without checks counts as passed if a higher level passes, never alone. */
function passedLevels(judged: readonly JudgedLevel[]): number {
  const first = judged.findIndex(({ isPassed }) => !isPassed);
  const top = (first < 0 ? judged : judged.slice(0, first)).at(-1);
  return top === undefined ? 0 : top.level.number + 1;
}

function failuresOf(judged: readonly JudgedLevel[]): readonly Failure[] {
  const failures = judged.flatMap(({ results }) =>
    results
      .filter(({ status }) => status === "failed" || status === "errored")
      .flatMap((result) => result.failures),
  );
  const notRun = describeNotRun(judged);
  // Has no id: the failures are unknown, so they must never be excused as known from the baseline.
  return [...failures.slice(0, MOST_FAILURES), ...(notRun ? [{ message: notRun }] : [])];
}

function describeNotRun(judged: readonly JudgedLevel[]): string {
  const first = judged.findIndex(({ isPassed }) => !isPassed);
  const rest = first < 0 ? [] : judged.slice(first + 1);
  if (rest.length === 0) return "";
  const named = rest.map(
    ({ level }) => `level ${level.number} (${level.name}, ${counted(level.ids.length, "check")})`,
  );
  return `not run: ${named.join(", ")}`;
}

function summaryOf(judged: readonly JudgedLevel[], status: Verdict["status"]): string {
  const first = judged.find(({ isPassed }) => !isPassed);
  const parts = first ? [describeProblem(first, status), describeNotRun(judged)] : [describePassed(judged)];
  const whole = [...parts, describeWarnings(judged)].filter(Boolean).join("; ");
  return head(plain(whole).replace(/\s+/g, " "), SUMMARY_CHARS);
}

function describePassed(judged: readonly JudgedLevel[]): string {
  const numbers = judged.map(({ level }) => level.number).join(", ");
  const checks = judged.reduce((sum, { level }) => sum + level.ids.length, 0);
  return `${judged.length === 1 ? "level" : "levels"} ${numbers} passed, ${counted(checks, "check")}`;
}

function describeProblem({ level, results }: JudgedLevel, status: Verdict["status"]): string {
  const where = `level ${level.number} (${level.name})`;
  const bad = results.filter((result) => result.status === "failed" || result.status === "errored");
  const named = bad.map(({ id }) => id).join(", ");
  if (bad.length === 0) return `${where} was interrupted before it finished`;
  return `${where} ${status}: ${bad.length} of ${counted(level.ids.length, "check")}: ${named}`;
}

function describeWarnings(judged: readonly JudgedLevel[]): string {
  const warnings = judged.flatMap(({ results }) => results.filter(({ status }) => status === "warned"));
  const places = warnings.flatMap(({ failures }) =>
    failures.map(({ id, location }) => `${id}${location ? ` (${location})` : ""}`),
  );
  return places.length === 0 ? "" : `${counted(places.length, "warning")}: ${places.join(", ")}`;
}

/** Every check on its own line, with its findings below. */
function linesOf({ level, results }: JudgedLevel): readonly string[] {
  return level.ids.flatMap((id) => {
    const result = results.find((each) => each.id === id);
    const findings = (result?.failures ?? []).map(
      ({ message, location }) => `  ${location ? `${location}: ` : ""}${message.split("\n")[0]}`,
    );
    return [`${result?.status ?? "not-run"}: ${shownId(id)}`, ...findings];
  });
}

/** Undefined when a command failed by more than its tests, because the counts then hide the problem. */
function testsOf(judged: readonly JudgedLevel[]): TestCounts | undefined {
  const results = judged.flatMap(({ results: all }) => all).filter(({ id }) => id.startsWith("L1 "));
  const unexplained = results.some(
    ({ id, status, failures }) => status !== "passed" && failures.some((each) => each.id === id),
  );
  const all = results.flatMap(({ tests }) => tests ?? []);
  if (all.length === 0 || unexplained) return undefined;
  return sum(all);
}

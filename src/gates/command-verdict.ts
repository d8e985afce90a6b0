// What the end of a command and the tests it ran mean, as a verdict.
import { constants } from "node:os";
import { tail } from "#spec/text";
import type { Failure, Verdict } from "#spec/verdict";
import { type Bar, ran, tooFew } from "./min-tests.ts";
import { relativeFailure } from "./relative.ts";
import type { TestReport } from "./reports/report.ts";
import type { CommandRun } from "./run-command.ts";

export interface Expected {
  readonly exitCode: number;
  readonly tests: Bar;
}

const EVIDENCE_CHARS = 4_000;
const FAILURE_CHARS = 1_000;

export function verdictOf(
  command: string | readonly string[],
  outcome: CommandRun,
  expected: Expected,
  dir: string,
): Verdict {
  const { end, report, stdout, stderr } = outcome;
  const base = {
    evidence: {
      command: typeof command === "string" ? command : command.join(" "),
      exitCode: end.exitCode,
      stdout: tail(stdout, EVIDENCE_CHARS),
      stderr: tail(stderr, EVIDENCE_CHARS),
    },
    durationMs: Math.round(end.durationMs),
  };
  const placed = (failures: readonly Failure[]) =>
    failures.map((failure) => relativeFailure(failure, dir, outcome.cwd));
  const { unable } = outcome;
  if (unable) {
    const { status, summary, timedOut } = unable;
    const evidence = { ...base.evidence, ...(timedOut && { timedOut }) };
    return { ...base, evidence, status, score: 0, summary, failures: placed([untold(summary, outcome)]) };
  }
  const counted = report && { tests: report.counts };
  const few = fewTests(outcome, expected);
  const found = complaints(outcome, expected, few);
  const skipped = report && report.counts.skipped > 0 ? `, ${report.counts.skipped} skipped` : "";
  if (found.length === 0) {
    const summary = report ? `${report.counts.passed} tests passed${skipped}` : `exit code ${end.exitCode}`;
    return { ...base, status: "passed", score: 1, summary, failures: [], ...counted };
  }
  const summary = found.join("; ") + skipped;
  const failures = placed(failuresOf(outcome, summary, few));
  return { ...base, status: "failed", score: scoreOf(report, expected.tests), summary, failures, ...counted };
}

/** An exit code in words: a shell tells of a signal by a code above 128. */
function exitWords(exitCode: number | null): string {
  if (exitCode === null) return "crashed (killed by a signal)";
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return signal === undefined ? `exit code ${exitCode}` : `crashed with ${signal} (exit ${exitCode})`;
}

// Without results and with the wrong exit code, what is wrong is more than likely not the number of tests.
function fewTests({ end, report }: CommandRun, { exitCode, tests }: Expected): string | undefined {
  const isExplained = report === undefined && end.exitCode !== exitCode && tests.setBy !== undefined;
  return isExplained ? undefined : tooFew(report, tests);
}

function complaints(
  { end, report }: CommandRun,
  expected: Expected,
  few: string | undefined,
): readonly string[] {
  const found: string[] = [];
  if (report && report.counts.failed > 0)
    found.push(`${report.counts.failed} of ${ran(report.counts)} tests failed`);
  if (few !== undefined) found.push(few);
  if (end.exitCode !== expected.exitCode)
    found.push(
      `${exitWords(end.exitCode)}${expected.exitCode === 0 ? "" : `, expected ${expected.exitCode}`}`,
    );
  return found;
}

// Tests that are gone are a failure of their own: failing tests that were known before must not excuse it.
function failuresOf(outcome: CommandRun, summary: string, few: string | undefined): readonly Failure[] {
  const failures = outcome.report?.failures ?? [];
  if (failures.length === 0) return [untold(summary, outcome)];
  return few === undefined ? failures : [{ message: few }, ...failures];
}

/** Fraction of the tests that ran, or should have; below 1 whenever the gate did not pass. */
function scoreOf(report: TestReport | undefined, { least }: Bar): number {
  if (!report) return 0;
  const tests = Math.max(ran(report.counts), report.inexact ? 0 : least);
  return tests <= 0 ? 0 : Math.min(report.counts.passed / tests, tests / (tests + 1));
}

function untold(complaint: string, { stdout, stderr }: CommandRun): Failure {
  const output = [stdout, stderr]
    .map((text) => tail(text.trim(), FAILURE_CHARS))
    .filter(Boolean)
    .join("\n");
  return { message: output ? `${complaint}\n${output}` : complaint };
}

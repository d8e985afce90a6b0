// Converts a command's exit and test report to a verdict.
import { constants } from "node:os";
import type { TestReport } from "#parsers/shared/report";
import { type Failure, ranTests, type Verdict } from "#spec/verdict";
import { tail } from "#text/plain-text";
import { diagnosticsOf, failuresOf, unrecognised } from "./command-failures.ts";
import type { Inability } from "./inability.ts";
import { type Bar, tooFew } from "./min-tests.ts";
import { relativeFailure } from "./relative.ts";
import type { CommandRun } from "./run-command.ts";
import { describeFailed, describePassed } from "./test-summary.ts";

export interface Expected {
  readonly exitCode: number;
  readonly tests: Bar;
  /** Why the command could not judge. */
  readonly unable?: Inability;
}

const EVIDENCE_CHARS = 4_000;

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
  const { unable } = expected;
  if (unable) {
    const { status, summary, timedOut } = unable;
    const evidence = { ...base.evidence, ...(timedOut && { timedOut }) };
    return {
      ...base,
      evidence,
      status,
      score: 0,
      summary,
      failures: placed([unrecognised(summary, outcome)]),
    };
  }
  const counted = report && countedIn(report);
  const few = fewTests(outcome, expected);
  const found = complaints(outcome, expected, few);
  const skipped = report && report.counts.skipped > 0 ? `, ${report.counts.skipped} skipped` : "";
  if (found.length === 0) {
    const summary = report ? describePassed(report) + skipped : `exit code ${end.exitCode}`;
    return { ...base, status: "passed", score: 1, summary, failures: [], ...counted };
  }
  const diagnostics = diagnosticsOf(outcome, expected.exitCode);
  const summary = [...(diagnostics ? [diagnostics.summary] : []), ...found].join("; ") + skipped;
  const failures = placed(failuresOf(outcome, { summary, few, diagnostics }));
  return { ...base, status: "failed", score: scoreOf(report, expected.tests), summary, failures, ...counted };
}

/** Describes an exit code; shells report a signal as a code above 128. */
function exitWords(exitCode: number | null): string {
  if (exitCode === null) return "crashed (killed by a signal)";
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return signal === undefined ? `exit code ${exitCode}` : `crashed with ${signal} (exit ${exitCode})`;
}

// Without test results and with the wrong exit code, the number of tests is rarely the problem.
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
  if (report && report.counts.failed > 0) found.push(describeFailed(report));
  if (few !== undefined) found.push(few);
  if (end.exitCode !== expected.exitCode)
    found.push(
      `${exitWords(end.exitCode)}${expected.exitCode === 0 ? "" : `, expected ${expected.exitCode}`}`,
    );
  return found;
}

function countedIn({ counts, uncounted }: TestReport): Pick<Verdict, "tests" | "packages"> {
  if (!uncounted) return { tests: counts };
  return uncounted.packages ? { packages: uncounted.packages.tested } : {};
}

/** Fraction of passed tests among those that ran or should have; below 1 unless the gate passes. */
function scoreOf(report: TestReport | undefined, { least }: Bar): number {
  if (!report || report.uncounted) return 0;
  const tests = Math.max(ranTests(report.counts), least);
  return tests <= 0 ? 0 : Math.min(report.counts.passed / tests, tests / (tests + 1));
}

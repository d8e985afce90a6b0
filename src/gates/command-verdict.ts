// Converts a command's exit and test report to a verdict.
import { constants } from "node:os";
import type { Packages, TestReport } from "#parsers/shared/report";
import { type Failure, ranTests, type Verdict } from "#spec/verdict";
import { counted } from "#text/format";
import { tail } from "#text/plain-text";
import { diagnosticsOf, failuresOf, unrecognised } from "./command-failures.ts";
import type { Inability } from "./inability.ts";
import { describeTooFew, type TestMinimum } from "./min-tests.ts";
import { relativeFailure } from "./relative-paths.ts";
import type { CommandRun } from "./run-command.ts";

export interface Expected {
  readonly exitCode: number;
  readonly tests: TestMinimum;
  /** Why the command could not judge. */
  readonly unable?: Inability;
}

const EVIDENCE_CHARS = 4_000;

/** Judges the exit code and the tests of a command. */
export function commandVerdict(outcome: CommandRun, expected: Expected): Verdict {
  const { end, report } = outcome;
  const { unable } = expected;
  if (unable) return unableVerdict(outcome, unable);
  const tooFew = tooFewTests(outcome, expected);
  const problems = problemsOf(outcome, expected, tooFew);
  const skipped = report && report.counts.skipped > 0 ? `, ${report.counts.skipped} skipped` : "";
  const base = { ...factsOf(outcome), ...(report && countsOf(report)) };
  if (problems.length === 0) {
    const summary = report ? describePassed(report) + skipped : `exit code ${end.exitCode}`;
    return { ...base, status: "passed", score: 1, summary, failures: [] };
  }
  const diagnostics = diagnosticsOf(outcome, expected.exitCode);
  const summary = [...(diagnostics ? [diagnostics.summary] : []), ...problems].join("; ") + skipped;
  const failures = failuresOf(outcome, { summary, tooFew, diagnostics });
  return {
    ...base,
    status: "failed",
    score: scoreOf(report, expected.tests),
    summary,
    failures: withLocations(failures, outcome),
  };
}

function unableVerdict(outcome: CommandRun, { status, summary, timedOut }: Inability): Verdict {
  const { evidence, durationMs } = factsOf(outcome);
  const failures = withLocations([unrecognised(summary, outcome)], outcome);
  return {
    status,
    score: 0,
    summary,
    failures,
    evidence: { ...evidence, ...(timedOut && { timedOut }) },
    durationMs,
  };
}

function factsOf({ command, end, stdout, stderr }: CommandRun): Pick<Verdict, "evidence" | "durationMs"> {
  return {
    evidence: {
      command: typeof command === "string" ? command : command.join(" "),
      exitCode: end.exitCode,
      stdout: tail(stdout, EVIDENCE_CHARS),
      stderr: tail(stderr, EVIDENCE_CHARS),
    },
    durationMs: Math.round(end.durationMs),
  };
}

function withLocations(failures: readonly Failure[], { dir, cwd }: CommandRun): readonly Failure[] {
  return failures.map((failure) => relativeFailure(failure, dir, cwd));
}

/** Describes an exit code; shells report a signal as a code above 128. */
function describeExit(exitCode: number | null): string {
  if (exitCode === null) return "crashed (killed by a signal)";
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return signal === undefined ? `exit code ${exitCode}` : `crashed with ${signal} (exit ${exitCode})`;
}

// Without test results and with the wrong exit code, the number of tests is rarely the problem.
function tooFewTests({ end, report }: CommandRun, { exitCode, tests }: Expected): string | undefined {
  const isExplained = report === undefined && end.exitCode !== exitCode && tests.setBy !== undefined;
  return isExplained ? undefined : describeTooFew(report, tests);
}

function problemsOf(
  { end, report }: CommandRun,
  expected: Expected,
  tooFew: string | undefined,
): readonly string[] {
  const problems: string[] = [];
  if (report && report.counts.failed > 0) problems.push(describeFailed(report));
  if (tooFew !== undefined) problems.push(tooFew);
  if (end.exitCode !== expected.exitCode)
    problems.push(
      `${describeExit(end.exitCode)}${expected.exitCode === 0 ? "" : `, expected ${expected.exitCode}`}`,
    );
  return problems;
}

function countsOf({ counts, uncounted }: TestReport): Pick<Verdict, "tests" | "packages"> {
  if (!uncounted) return { tests: counts };
  return uncounted.packages ? { packages: uncounted.packages.tested } : {};
}

/** Fraction of passed tests among those that ran or should have; below 1 unless the gate passes. */
function scoreOf(report: TestReport | undefined, { least }: TestMinimum): number {
  if (!report || report.uncounted) return 0;
  const tests = Math.max(ranTests(report.counts), least);
  return tests <= 0 ? 0 : Math.min(report.counts.passed / tests, tests / (tests + 1));
}

function describePassed({ counts, uncounted }: TestReport): string {
  if (!uncounted) return `${counted(counts.passed, "test")} passed`;
  return uncounted.packages ? "all packages pass" : "all tests pass";
}

function describeFailed({ counts, uncounted }: TestReport): string {
  if (!uncounted) return `${counts.failed} of ${counted(ranTests(counts), "test")} failed`;
  const { packages, why } = uncounted;
  const failures = packages ? describePackages(packages) : `${counted(counts.failed, "test")} failed`;
  return `${failures} (${why})`;
}

function describePackages({ failed, failedTests, broken }: Packages): string {
  const tests = `${counted(failedTests, "test")} failed in ${counted(failed, "package")}`;
  const uncompiled = counted(broken, "package does not compile", "packages do not compile");
  return [...(failed > 0 ? [tests] : []), ...(broken > 0 ? [uncompiled] : [])].join(", ");
}

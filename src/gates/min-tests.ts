// How many tests must run: a number, or as many as the first time that this gate told a number in this run.
import type { Run } from "#spec/run";
import type { TestCounts } from "#spec/verdict";
import type { TestReport } from "./reports/report.ts";

export type MinTests = number | "baseline";

export interface Bar {
  readonly least: number;
  /** Whose number it is, when it is not the task's own. */
  readonly setBy?: string;
}

/** Tests that ran, among them failures that are none of their own. */
export function ran({ total, skipped }: TestCounts): number {
  return total - skipped;
}

/** Tests that ran, counted alike before and after what broke beside them is mended. */
function ownTests(counts: TestCounts): number {
  return ran(counts) - (counts.extra ?? 0);
}

/** `wanted` says that there must be tests, whether any were ever seen or not. */
export function barFor(minTests: MinTests | undefined, wanted: boolean, run: Run, gate: string): Bar {
  if (typeof minTests === "number") return { least: minTests };
  const first = firstCount(run, gate);
  return first && first.least > 0 ? first : { least: first || wanted || minTests === "baseline" ? 1 : 0 };
}

function firstCount(run: Run, gate: string): Bar | undefined {
  for (const iteration of [run.baseline, ...run.iterations]) {
    const told = iteration.verdicts.find((judged) => judged.gate === gate && isCount(judged.verdict.tests));
    if (told?.verdict.tests === undefined) continue;
    const setBy = iteration.number === 0 ? "the baseline" : `iteration ${iteration.number}`;
    return { least: ownTests(told.verdict.tests), setBy };
  }
  return undefined;
}

// A hook that broke, or a file that did not load, says nothing about how many tests there are.
function isCount(tests: TestCounts | undefined): boolean {
  return tests !== undefined && (tests.extra === undefined || ownTests(tests) > 0);
}

/** What is wrong with the number of tests that ran, in words. */
export function tooFew(report: TestReport | undefined, { least, setBy }: Bar): string | undefined {
  const before = `where ${setBy} ran ${inWords(least)}`;
  if (report === undefined) {
    if (least === 0) return undefined;
    return setBy === undefined
      ? `no test results were recognised, and at least ${least} tests must run`
      : `no test results were recognised, ${before} (if that is right, set minTests: 0)`;
  }
  if (least > 0 && ran(report.counts) === 0) return "ran 0 tests";
  if (setBy === undefined)
    return ran(report.counts) < least ? `ran ${ran(report.counts)} tests, fewer than ${least}` : undefined;
  // Fewer than were there, unless the runner does not tell, or something else broke that kept them from running.
  const own = ownTests(report.counts);
  if (own >= least || report.inexact || report.counts.extra !== undefined) return undefined;
  return `ran ${inWords(own)}, ${before} (if fewer are right, set minTests)`;
}

function inWords(tests: number): string {
  return tests === 1 ? "1 test" : `${tests} tests`;
}

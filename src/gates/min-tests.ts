// How many tests must run: a number, or as many as the first time that this gate told a number in this run. A runner
// that does not count its tests is measured by its packages.

import type { TestReport, Uncounted } from "#parsers/shared/report";
import type { Run } from "#spec/run";
import { ranTests, type TestCounts, type Verdict } from "#spec/verdict";
import { counted } from "#text/format";

export type MinTests = number | "baseline";

export interface Bar {
  readonly least: number;
  /** Packages with tests, where the runner does not count tests. */
  readonly packages?: number;
  /** Whose number it is, when it is not the task's own. */
  readonly setBy?: string;
}

/** Tests that ran, counted alike before and after what broke beside them is mended. */
function ownTests(counts: TestCounts): number {
  return ranTests(counts) - (counts.extra ?? 0);
}

/** `wanted` says that there must be tests, whether any were ever seen or not. */
export function barFor(minTests: MinTests | undefined, wanted: boolean, run: Run, gate: string): Bar {
  if (typeof minTests === "number") return { least: minTests };
  const first = firstCount(run, gate);
  return first && first.least > 0 ? first : { least: first || wanted || minTests === "baseline" ? 1 : 0 };
}

function firstCount(run: Run, gate: string): Bar | undefined {
  for (const iteration of [run.baseline, ...run.iterations]) {
    const told = iteration.verdicts.find((judged) => judged.gate === gate && isCount(judged.verdict));
    if (told === undefined) continue;
    const setBy = iteration.number === 0 ? "the baseline" : `iteration ${iteration.number}`;
    const { tests, packages } = told.verdict;
    if (tests) return { least: ownTests(tests), setBy };
    return { least: 1, ...(packages && { packages }), setBy };
  }
  return undefined;
}

// A hook that broke, or a file that did not load, says nothing about how many tests there are.
function isCount({ tests, packages }: Verdict): boolean {
  if (tests === undefined) return packages !== undefined && packages > 0;
  return tests.extra === undefined || ownTests(tests) > 0;
}

/** What is wrong with the number of tests that ran, in words. */
export function tooFew(report: TestReport | undefined, bar: Bar): string | undefined {
  if (report === undefined) return unrecognised(bar);
  if (report.uncounted) return tooFewUncounted(report.uncounted, bar);
  const { least, setBy } = bar;
  const ran = ranTests(report.counts);
  if (least > 0 && ran === 0) return "ran 0 tests";
  if (setBy === undefined)
    return ran < least ? `ran ${counted(ran, "test")}, fewer than ${least}` : undefined;
  // Fewer than were there, unless something else broke that kept them from running.
  const own = ownTests(report.counts);
  if (own >= least || report.counts.extra !== undefined) return undefined;
  return `ran ${counted(own, "test")}, ${before(bar)} (if fewer are right, set minTests)`;
}

function unrecognised(bar: Bar): string | undefined {
  if (bar.least === 0) return undefined;
  return bar.setBy === undefined
    ? `no test results were recognised, and at least ${counted(bar.least, "test")} must run`
    : `no test results were recognised, ${before(bar)} (if that is right, set minTests: 0)`;
}

function tooFewUncounted({ why, packages: now }: Uncounted, bar: Bar): string | undefined {
  const { least, packages = 0, setBy } = bar;
  if (least > 0 && now?.tested === 0) return "ran 0 tests";
  if (setBy === undefined && least > 1) return `at least ${least} tests must run, and ${why}`;
  if (now === undefined || now.tested >= packages) return undefined;
  return `ran the tests of ${counted(now.tested, "package")}, ${before(bar)} (if fewer are right, set minTests)`;
}

function before({ least, packages, setBy }: Bar): string {
  const there =
    packages === undefined ? counted(least, "test") : `the tests of ${counted(packages, "package")}`;
  return `where ${setBy} ran ${there}`;
}

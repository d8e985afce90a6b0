// The minimum number of tests: a fixed number, or the gate's first count in this run. For a runner that does not count
// tests, packages count instead.

import type { TestReport, Uncounted } from "#parsers/shared/report";
import type { Run } from "#spec/run";
import { ranTests, type TestCounts, type Verdict } from "#spec/verdict";
import { counted } from "#text/format";
import { iterationName } from "#text/words";

export type MinTests = number | "baseline";

export interface Bar {
  readonly least: number;
  /** Packages with tests, for a runner that does not count tests. */
  readonly packages?: number;
  /** Where the number comes from, unless the task sets it. */
  readonly setBy?: string;
}

/** Tests that ran, without extra failures such as broken hooks, so that fixing those does not change the count. */
function ownTests(counts: TestCounts): number {
  return ranTests(counts) - (counts.extra ?? 0);
}

/** `wanted`: tests are required even if none has been seen yet. */
export function barFor(minTests: MinTests | undefined, wanted: boolean, run: Run, gate: string): Bar {
  if (typeof minTests === "number") return { least: minTests };
  const first = firstCount(run, gate);
  return first && first.least > 0 ? first : { least: first || wanted || minTests === "baseline" ? 1 : 0 };
}

function firstCount(run: Run, gate: string): Bar | undefined {
  for (const iteration of [run.baseline, ...run.iterations]) {
    const told = iteration.verdicts.find((judged) => judged.gate === gate && isCount(judged.verdict));
    if (told === undefined) continue;
    const setBy = iterationName(iteration.number);
    const { tests, packages } = told.verdict;
    if (tests) return { least: ownTests(tests), setBy };
    return { least: 1, ...(packages && { packages }), setBy };
  }
  return undefined;
}

// Broken hooks or unloaded files alone say nothing about the number of tests.
function isCount({ tests, packages }: Verdict): boolean {
  if (tests === undefined) return packages !== undefined && packages > 0;
  return tests.extra === undefined || ownTests(tests) > 0;
}

/** The complaint when too few tests ran. */
export function tooFew(report: TestReport | undefined, bar: Bar): string | undefined {
  if (report === undefined) return unrecognised(bar);
  if (report.uncounted) return tooFewUncounted(report.uncounted, bar);
  const { least, setBy } = bar;
  const ran = ranTests(report.counts);
  if (least > 0 && ran === 0) return "ran 0 tests";
  if (setBy === undefined)
    return ran < least ? `ran ${counted(ran, "test")}, fewer than ${least}` : undefined;
  // Fewer tests than before are accepted only if something else broke that kept them from running.
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

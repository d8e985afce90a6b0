// The minimum number of tests: a fixed number, or the gate's first count in this run. For a runner that does not count
// tests, packages count instead.

import type { TestReport, Uncounted } from "#parsers/shared/report";
import type { Run } from "#spec/run";
import { ranTests, type TestCounts, type Verdict } from "#spec/verdict";
import { counted } from "#text/format";
import { iterationName } from "#text/words";

export type MinTests = number | "baseline";

export interface TestMinimum {
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

export interface MinTestsOptions {
  readonly minTests: MinTests | undefined;
  /** Tests are required even if none has been recognised yet. */
  readonly isRequired: boolean;
}

/** The minimum for a gate, given its earlier verdicts in this run. */
export function minimumFor({ minTests, isRequired }: MinTestsOptions, run: Run, gate: string): TestMinimum {
  if (typeof minTests === "number") return { least: minTests };
  const first = firstCount(run, gate);
  return first && first.least > 0 ? first : { least: first || isRequired || minTests === "baseline" ? 1 : 0 };
}

function firstCount(run: Run, gate: string): TestMinimum | undefined {
  for (const iteration of [run.baseline, ...run.iterations]) {
    const counting = iteration.verdicts.find((judged) => judged.gate === gate && isCount(judged.verdict));
    if (counting === undefined) continue;
    const setBy = iterationName(iteration.number);
    const { tests, packages } = counting.verdict;
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
export function describeTooFew(report: TestReport | undefined, minimum: TestMinimum): string | undefined {
  if (report === undefined) return describeUnrecognised(minimum);
  if (report.uncounted) return describeTooFewUncounted(report.uncounted, minimum);
  const { least, setBy } = minimum;
  const ran = ranTests(report.counts);
  if (least > 0 && ran === 0) return "ran 0 tests";
  if (setBy === undefined)
    return ran < least ? `ran ${counted(ran, "test")}, expected at least ${least}` : undefined;
  // Fewer tests than before are accepted only if something else broke that kept them from running.
  const own = ownTests(report.counts);
  if (own >= least || report.counts.extra !== undefined) return undefined;
  return `ran ${counted(own, "test")}, ${describeFirst(minimum)} (if fewer tests are expected, set minTests)`;
}

function describeUnrecognised(minimum: TestMinimum): string | undefined {
  if (minimum.least === 0) return undefined;
  return minimum.setBy === undefined
    ? `no test results were recognised, but at least ${counted(minimum.least, "test")} must run`
    : `no test results were recognised, ${describeFirst(minimum)} (if none are expected, set minTests: 0)`;
}

function describeTooFewUncounted(
  { why, packages: now }: Uncounted,
  minimum: TestMinimum,
): string | undefined {
  const { least, packages = 0, setBy } = minimum;
  if (least > 0 && now?.tested === 0) return "ran 0 tests";
  if (setBy === undefined && least > 1) return `at least ${least} tests must run, but ${why}`;
  if (now === undefined || now.tested >= packages) return undefined;
  return `ran the tests of ${counted(now.tested, "package")}, ${describeFirst(minimum)} (if fewer tests are expected, set minTests)`;
}

function describeFirst({ least, packages, setBy }: TestMinimum): string {
  const tests =
    packages === undefined ? counted(least, "test") : `the tests of ${counted(packages, "package")}`;
  return `but ${setBy} ran ${tests}`;
}

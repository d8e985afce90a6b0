// The common shape of test reports of all runners.

import type { Failure, TestCounts } from "#spec/verdict";
import { normalise } from "#text/normalise";

export interface TestReport {
  readonly format: string;
  readonly counts: TestCounts;
  /** At most 2,000, the first 200 with details; the counts include all. */
  readonly failures: readonly Failure[];
  /** Last line of the report. If one output has two reports, the one that ends last is of the outer runner. */
  readonly endsAt: number;
  /** Set when the runner lists only failing tests: the counts then lack passing tests and are not shown. */
  readonly uncounted?: Uncounted;
}

export interface Uncounted {
  /** One clause to show people. */
  readonly why: string;
  /** For a runner that at least reports packages (`go test` without -v). */
  readonly packages?: Packages;
}

/** Packages with tests, for a runner that does not count tests. */
export interface Packages {
  readonly tested: number;
  /** Those with failing tests. */
  readonly failed: number;
  readonly failedTests: number;
  /** Those that do not compile. */
  readonly broken: number;
}

/**
 * Parses plain text (see #text/plain-text), whole or as lines (see ./lines.ts), which all parsers share. Undefined
 * means another format. Never throws, and takes linear time.
 */
export type ReportParser = (text: string, lines: readonly string[]) => TestReport | undefined;

/** One run of a runner: one output may have several. */
export interface RunPart {
  readonly counts: TestCounts;
  readonly failures: readonly Failure[];
}

const MOST_FAILURES = 2_000;
const MOST_DETAILS = 200;

/** Adds up the runs of one format. Drops the failures of a run without failed tests: they only looked like failures. */
export function report(format: string, parts: readonly RunPart[], endsAt: number): TestReport {
  const failures = parts
    .filter((part) => part.counts.failed > 0)
    .flatMap((part) => withStableIds(distinct(part.failures).slice(0, MOST_FAILURES)));
  return { format, counts: sum(parts.map((part) => part.counts)), failures: limitFailures(failures), endsAt };
}

/** Keeps every name, because the agent is told every failing test; keeps messages only of the first ones. */
export function limitFailures(failures: readonly Failure[]): readonly Failure[] {
  return [
    ...failures.slice(0, MOST_DETAILS),
    ...failures.slice(MOST_DETAILS, MOST_FAILURES).map(({ id, location }) => ({
      ...(id !== undefined && { id }),
      message: "failed",
      ...(location !== undefined && { location }),
    })),
  ];
}

/** Combines several reports of one command. */
export function mergeReports(reports: readonly TestReport[]): TestReport | undefined {
  const [first] = reports;
  if (first === undefined) return undefined;
  const failures = limitFailures(reports.flatMap((each) => each.failures));
  const uncounted = mergeUncounted(reports.flatMap((each) => each.uncounted ?? []));
  return { ...first, counts: sum(reports.map((each) => each.counts)), failures, ...uncounted };
}

// Counts are known only if every report has them.
function mergeUncounted(all: readonly Uncounted[]): { readonly uncounted?: Uncounted } {
  const [first] = all;
  if (first === undefined) return {};
  const packages = all.flatMap((each) => each.packages ?? []);
  const of = (key: keyof Packages) => packages.reduce((total, each) => total + each[key], 0);
  const added = {
    tested: of("tested"),
    failed: of("failed"),
    failedTests: of("failedTests"),
    broken: of("broken"),
  };
  return { uncounted: { why: first.why, ...(packages.length > 0 && { packages: added }) } };
}

/** `extra` of the failed do not count as tests: hooks, files, parents. */
export function countsOf({ passed, failed, skipped, extra = 0 }: Omit<TestCounts, "total">): TestCounts {
  return { total: passed + failed + skipped, passed, failed, skipped, ...(extra > 0 && { extra }) };
}

export function sum(all: readonly TestCounts[]): TestCounts {
  const of = (key: keyof TestCounts) => all.reduce((total, counts) => total + (counts[key] ?? 0), 0);
  return countsOf({ passed: of("passed"), failed: of("failed"), skipped: of("skipped"), extra: of("extra") });
}

// Removes duplicates: runners repeat a failure in their summary. The first one counts.
function distinct(failures: readonly Failure[]): readonly Failure[] {
  const ids = new Set<string>();
  return failures.filter(({ id }) => {
    if (id === undefined) return true;
    const isFirst = !ids.has(id);
    ids.add(id);
    return isFirst;
  });
}

// Normalises ids with a time or a temporary path, so that they are stable between runs. Ids that become equal get a
// number, so that they stay distinct.
export function withStableIds(failures: readonly Failure[]): readonly Failure[] {
  const ids = new Set<string>();
  const used = new Map<string, number>();
  return failures.map((failure) => {
    if (failure.id === undefined) return failure;
    const name = normalise(failure.id);
    let count = used.get(name) ?? 1;
    let id = count === 1 ? name : `${name} (${count})`;
    while (ids.has(id)) id = `${name} (${++count})`;
    used.set(name, count);
    ids.add(id);
    return { ...failure, id };
  });
}

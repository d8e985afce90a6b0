// What a test runner said, in one shape for every runner.

import type { Failure, TestCounts } from "#spec/verdict";
import { normalise } from "#text/normalise";

export interface TestReport {
  readonly format: string;
  readonly counts: TestCounts;
  /** At most 2,000, the first 200 with details; the counts are of all. */
  readonly failures: readonly Failure[];
  /** Line of the runner's last words. Of two runners in one output, the one that spoke last had started the other. */
  readonly endsAt: number;
  /** Set when the runner names failing tests only: then the counts hold no passing tests, and nobody is shown them. */
  readonly uncounted?: Uncounted;
}

export interface Uncounted {
  /** One clause for people. */
  readonly why: string;
  /** Of a runner that tells packages at least (`go test` without -v). */
  readonly packages?: Packages;
}

/** Packages with tests, of a runner that does not count the tests. */
export interface Packages {
  readonly tested: number;
  /** Of them: with failing tests. */
  readonly failed: number;
  readonly failedTests: number;
  /** Of them: those that do not compile. */
  readonly broken: number;
}

/**
 * Reads plain text (see #text/plain-text), whole or as its lines (see ./lines.ts), which are the same for all and made once;
 * undefined means: not my format. Never throws, and takes linear time.
 */
export type ReportParser = (text: string, lines: readonly string[]) => TestReport | undefined;

/** One run of a runner: formats that repeat have several in one output. */
export interface RunPart {
  readonly counts: TestCounts;
  readonly failures: readonly Failure[];
}

const MOST_FAILURES = 2_000;
const MOST_DETAILS = 200;

/** Adds up the runs of one format. A run without failed tests has no failures, whatever else looked like one. */
export function report(format: string, parts: readonly RunPart[], endsAt: number): TestReport {
  const failures = parts
    .filter((part) => part.counts.failed > 0)
    .flatMap((part) => identified(distinct(part.failures).slice(0, MOST_FAILURES)));
  return { format, counts: sum(parts.map((part) => part.counts)), failures: bounded(failures), endsAt };
}

/** Every name is kept, because the agent is told every failing test; messages are kept for the first ones. */
export function bounded(failures: readonly Failure[]): readonly Failure[] {
  return [
    ...failures.slice(0, MOST_DETAILS),
    ...failures.slice(MOST_DETAILS, MOST_FAILURES).map(({ id, location }) => ({
      ...(id !== undefined && { id }),
      message: "failed",
      ...(location !== undefined && { location }),
    })),
  ];
}

/** Several reports of one command as one. */
export function addedUp(reports: readonly TestReport[]): TestReport | undefined {
  const [first] = reports;
  if (first === undefined) return undefined;
  const failures = bounded(reports.flatMap((each) => each.failures));
  const uncounted = addedUncounted(reports.flatMap((each) => each.uncounted ?? []));
  return { ...first, counts: sum(reports.map((each) => each.counts)), failures, ...uncounted };
}

// Counts are known only if every report has them.
function addedUncounted(all: readonly Uncounted[]): { readonly uncounted?: Uncounted } {
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

/** `extra` of the failed are no tests of their own. */
export function countsOf(passed: number, failed: number, skipped: number, extra = 0): TestCounts {
  return { total: passed + failed + skipped, passed, failed, skipped, ...(extra > 0 && { extra }) };
}

export function sum(all: readonly TestCounts[]): TestCounts {
  const of = (key: keyof TestCounts) => all.reduce((total, counts) => total + (counts[key] ?? 0), 0);
  return countsOf(of("passed"), of("failed"), of("skipped"), of("extra"));
}

// Runners repeat a failure (once where it happened, once in their summary): the first one counts.
function distinct(failures: readonly Failure[]): readonly Failure[] {
  const seen = new Set<string>();
  return failures.filter(({ id }) => {
    if (id === undefined) return true;
    const fresh = !seen.has(id);
    seen.add(id);
    return fresh;
  });
}

// Names that hold a time or a temporary path are the same test every time; of two that differ in nothing else, the
// second gets a number, so that they stay two.
export function identified(failures: readonly Failure[]): readonly Failure[] {
  const taken = new Set<string>();
  const used = new Map<string, number>();
  return failures.map((failure) => {
    if (failure.id === undefined) return failure;
    const name = normalise(failure.id);
    let count = used.get(name) ?? 1;
    let id = count === 1 ? name : `${name} (${count})`;
    while (taken.has(id)) id = `${name} (${++count})`;
    used.set(name, count);
    taken.add(id);
    return { ...failure, id };
  });
}

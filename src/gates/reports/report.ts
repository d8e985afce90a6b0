// What a test runner said, in one shape for every runner.
import { stable } from "#spec/stable";
import type { Failure, TestCounts } from "#spec/verdict";

export interface TestReport {
  readonly format: string;
  readonly counts: TestCounts;
  /** At most 200 of them; the counts are of all. */
  readonly failures: readonly Failure[];
  /** Line of the runner's last words. Of two runners in one output, the one that spoke last had started the other. */
  readonly endsAt: number;
  /** More tests ran than were told: a passing package of `go test` without -v counts as one. */
  readonly inexact?: boolean;
}

/**
 * Reads plain text (see #spec/text), whole or as its lines (see ./lines.ts), which are the same for all and made once;
 * undefined means: not my format. Never throws, and takes linear time.
 */
export type ReportParser = (text: string, lines: readonly string[]) => TestReport | undefined;

/** One run of a runner: formats that repeat have several in one output. */
export interface RunPart {
  readonly counts: TestCounts;
  readonly failures: readonly Failure[];
}

const KEPT = 200;

/** Adds up the runs of one format. A run without failed tests has no failures, whatever else looked like one. */
export function report(format: string, parts: readonly RunPart[], endsAt: number): TestReport {
  const failures = parts
    .filter((part) => part.counts.failed > 0)
    .flatMap((part) => identified(distinct(part.failures).slice(0, KEPT)));
  return { format, counts: sum(parts.map((part) => part.counts)), failures: failures.slice(0, KEPT), endsAt };
}

/** Several reports of one command as one. */
export function addedUp(reports: readonly TestReport[]): TestReport | undefined {
  const [first] = reports;
  if (first === undefined) return undefined;
  const failures = reports.flatMap((each) => each.failures).slice(0, KEPT);
  const inexact = reports.some((each) => each.inexact);
  return { ...first, counts: sum(reports.map((each) => each.counts)), failures, ...(inexact && { inexact }) };
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
    const name = stable(failure.id);
    let count = used.get(name) ?? 1;
    let id = count === 1 ? name : `${name} (${count})`;
    while (taken.has(id)) id = `${name} (${++count})`;
    used.set(name, count);
    taken.add(id);
    return { ...failure, id };
  });
}

// What a test runner said, in one shape for every runner.
import type { Failure, TestCounts } from "#spec/verdict";

export interface TestReport {
  readonly format: string;
  readonly counts: TestCounts;
  /** At most 200 of them; the counts are of all. */
  readonly failures: readonly Failure[];
  /** Line of the runner's last words. Of two runners in one output, the one that spoke last had started the other. */
  readonly endsAt: number;
}

/** Reads plain text (see #spec/text); undefined means: not my format. Never throws, and takes linear time. */
export type ReportParser = (text: string) => TestReport | undefined;

/** One run of a runner: formats that repeat have several in one output. */
export interface RunPart {
  readonly counts: TestCounts;
  readonly failures: readonly Failure[];
}

const KEPT = 200;

/** Adds up the runs of one format. A run without failed tests has no failures, whatever else looked like one. */
export function report(format: string, parts: readonly RunPart[], endsAt: number): TestReport {
  const failures = parts.filter((part) => part.counts.failed > 0).flatMap((part) => distinct(part.failures));
  return { format, counts: sum(parts.map((part) => part.counts)), failures: failures.slice(0, KEPT), endsAt };
}

export function countsOf(passed: number, failed: number, skipped: number): TestCounts {
  return { total: passed + failed + skipped, passed, failed, skipped };
}

function sum(all: readonly TestCounts[]): TestCounts {
  const of = (key: keyof TestCounts) => all.reduce((total, counts) => total + counts[key], 0);
  return { total: of("total"), passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
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

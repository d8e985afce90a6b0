// Parses formats where one line starts a run and its counts end it; adds up several runs.
import type { Failure, TestCounts } from "#spec/verdict";
import { report, type TestReport } from "./shared/report.ts";
import { announcedSpans } from "./spans.ts";

export interface AnnouncedFormat {
  readonly name: string;
  /** The first and last lines of a run. */
  readonly first: RegExp;
  readonly last: RegExp;
  readCounts(last: string): TestCounts;
  readFailures(body: readonly string[]): readonly Failure[];
}

/** Undefined when no run has its closing counts. */
export function announcedReport(format: AnnouncedFormat, lines: readonly string[]): TestReport | undefined {
  const spans = announcedSpans(
    lines,
    (line) => format.first.test(line),
    (line) => format.last.test(line),
  );
  const end = spans.at(-1)?.to;
  if (end === undefined) return undefined;
  const parts = spans.map(({ from, to }) => ({
    counts: format.readCounts(lines[to] ?? ""),
    failures: format.readFailures(lines.slice(from, to)),
  }));
  return report(format.name, parts, end);
}

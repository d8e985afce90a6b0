// Parses minitest, alone, through rake and through Rails. Every rake task is a separate run; all are added up.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { announcedReport } from "./announced-report.ts";
import { difference } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser } from "./shared/report.ts";

const RUNNING = /^# Running(?: tests)?:$/;
const SUMMARY =
  /^(\d{1,9}) (?:runs|tests), \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors, (\d{1,9}) skips$/;
const ENTRY = /^(?: {2}\d{1,9}\) )?(Failure|Error|Skipped):$/;
const TITLE = /^(\S.*?)(?: \[(.+:\d{1,9})\])?:$/;
const FRAME = /^ {4}\S+:\d+:in /;
/** Below each failure, Rails prints the command to repeat the test. */
const REPEAT = /^(?:bin\/)?rails test \S/;
/** minitest/spec numbers tests in the order of their file. */
const NUMBERED = /#test_\d{4}_/;

export const minitest: ReportParser = (_, lines) =>
  announcedReport(
    { name: "minitest", first: RUNNING, last: SUMMARY, readCounts: countsIn, readFailures: failuresIn },
    lines,
  );

function countsIn(summary: string): TestCounts {
  const [runs = 0, failures = 0, errors = 0, skips = 0] = (SUMMARY.exec(summary) ?? []).slice(1).map(Number);
  const failed = Math.min(failures + errors, runs);
  return countsOf({
    passed: Math.max(0, runs - failed - skips),
    failed,
    skipped: Math.min(skips, runs - failed),
  });
}

function failuresIn(body: readonly string[]): readonly Failure[] {
  const starts = body.flatMap((line, at) => (ENTRY.test(line) && TITLE.test(body[at + 1] ?? "") ? [at] : []));
  return starts.flatMap((at, index) => {
    const [, kind] = ENTRY.exec(body[at] ?? "") ?? [];
    if (kind === "Skipped") return [];
    const [, name = "", location] = TITLE.exec(body[at + 1] ?? "") ?? [];
    const error = until(body.slice(at + 2, starts[index + 1] ?? body.length), REPEAT);
    return [toFailure(name, location, error)];
  });
}

function toFailure(name: string, location: string | undefined, error: readonly string[]): Failure {
  const text = until(error, FRAME);
  return failure({
    id: name.replace(NUMBERED, "#"),
    message: text.join("\n"),
    location: location ?? locate(error.filter((line) => FRAME.test(line))),
    ...difference(text),
  });
}

// Parses Ruby's test-unit: failures between rules, then the counts. Pending and omitted tests count as skipped.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { announcedReport } from "./announced-report.ts";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser } from "./shared/report.ts";

const STARTED = /^Loaded suite \S/;
const SUMMARY =
  /^(\d{1,9}) tests, \d{1,9} assertions, (\d{1,9}) failures, (\d{1,9}) errors, (\d{1,9}) pendings, (\d{1,9}) omissions, \d{1,9} notifications$/;
const RULE = /^={79}$/;
const TITLE = /^(?:Failure|Error): ([^\s(]+)\((.+?)\)(?:: ?(.*))?$/;
const PLACE = /^\S.*\.rb:\d+:in /;
const CODE = /^ {2}(?:=>| {2}) *\d+: ?/;
const VALUES = /^<(.*)> expected but was$/;

export const testUnit: ReportParser = (_, lines) =>
  announcedReport(
    { name: "test-unit", first: STARTED, last: SUMMARY, readCounts: countsIn, readFailures: failuresIn },
    lines,
  );

function countsIn(summary: string): TestCounts {
  const [tests = 0, failures = 0, errors = 0, pendings = 0, omissions = 0] = (SUMMARY.exec(summary) ?? [])
    .slice(1)
    .map(Number);
  const failed = Math.min(failures + errors, tests);
  const skipped = Math.min(pendings + omissions, tests - failed);
  return countsOf({ passed: tests - failed - skipped, failed, skipped });
}

function failuresIn(body: readonly string[]): readonly Failure[] {
  return body.flatMap((line, at) => {
    const [, method, owner, first = ""] = (RULE.test(body[at - 1] ?? "") && TITLE.exec(line)) || [];
    if (method === undefined) return [];
    return [toFailure(`${owner}#${method}`, [first, ...until(body.slice(at + 1, at + 200), RULE)])];
  });
}

function toFailure(id: string, section: readonly string[]): Failure {
  const text = section.filter((line) => !PLACE.test(line) && !CODE.test(line));
  const at = text.findIndex((line) => VALUES.test(line));
  const [, actual] = /^<(.*)>\.?$/.exec(text[at + 1] ?? "") ?? [];
  return failure({
    id,
    message: until(text, /^diff:$/).join("\n"),
    location: locate(section.filter((line) => PLACE.test(line))),
    ...(at >= 0 && actual !== undefined && { expected: VALUES.exec(text[at] ?? "")?.[1], actual }),
  });
}

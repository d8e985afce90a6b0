// Parses vitest's console reporters. A suite that did not load and an unhandled error count as one failed test each:
// vitest does not count them, and the score must not be 1 with a file that does not load.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report, sum } from "./shared/report.ts";
import { announcedSpans, type Span } from "./spans.ts";

const ANNOUNCEMENT = /^\s{0,3}(?:RUN|DEV)\s{1,3}v\d/;
const FILES = /^\s*Test Files {2}(\S.*)$/;
const TESTS = /^\s*Tests {2}(\S.*)$/;
const ERRORS = /^\s*(?:Type )?Errors {2}(\d{1,9}) error/;
const NO_FILES = /^No test files found, exiting with code \d/;
const HEADING = /^⎯+ (Failed Suites|Failed Tests|Unhandled [A-Z][a-z]+) (?:(\d{1,9}) )?⎯+$/;
const RULE = /^⎯+(?:\[\d+\/\d+\]⎯+)?$/;
const FAILED = /^\s?FAIL {2,3}(\S.*)$/;
const FRAME = /^\s?❯ \S/;

export const vitest: ReportParser = (_, lines) => {
  const spans = announcedSpans(
    lines,
    (line) => ANNOUNCEMENT.test(line),
    (line, at) => NO_FILES.test(line) || (TESTS.test(line) && FILES.test(lines[at - 1] ?? "")),
  );
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  const parts = spans.map((span) => runPart(lines, span));
  const files = spans.reduce((total, { to }) => total + failedFiles(lines[to - 1]), 0);
  return report("vitest", withFailures(parts, until(lines, ANNOUNCEMENT), files), last.to);
};

function runPart(lines: readonly string[], span: Span): RunPart {
  const [, numbers = ""] = TESTS.exec(lines[span.to] ?? "") ?? [];
  const body = lines.slice(span.from, span.to);
  const extra = failedSuites(body) + errors(lines, span.to);
  const failed = numberOf(numbers, "failed") + extra;
  const passed = numberOf(numbers, "passed") + numberOf(numbers, "expected fail");
  const skipped = numberOf(numbers, "skipped") + numberOf(numbers, "todo");
  return { counts: countsOf({ passed, failed, skipped, extra }), failures: failuresIn(body) };
}

// vitest prints failures on stderr, which comes before the first start line when both streams are joined. A run started
// by a test prints there too, so only the last failures count, as many as stdout reports.
function withFailures(
  parts: readonly RunPart[],
  before: readonly string[],
  files: number,
): readonly RunPart[] {
  const { passed, failed, skipped, extra = 0 } = sum(parts.map((part) => part.counts));
  const suites = Math.min(failedSuites(before), files);
  const failures = failuresIn(before).slice(-(failed + suites));
  if (failed + suites === 0 || failures.length === 0) return parts;
  const counts = countsOf({ passed, failed: failed + suites, skipped, extra: extra + suites });
  return [{ counts, failures: [...parts.flatMap((part) => part.failures), ...failures] }];
}

function failedFiles(line = ""): number {
  return numberOf(FILES.exec(line)?.[1] ?? "", "failed");
}

function numberOf(numbers: string, state: string): number {
  const part = numbers.split(" | ").find((each) => each.replace(/ \(\d+\)$/, "").endsWith(` ${state}`));
  return Number(/^\d{1,9}/.exec(part ?? "")?.[0] ?? 0);
}

function failedSuites(body: readonly string[]): number {
  const heading = body.findLast((line) => line.startsWith("⎯") && line.includes(" Failed Suites "));
  return Number(HEADING.exec(heading ?? "")?.[2] ?? 0);
}

function errors(lines: readonly string[], summary: number): number {
  return lines
    .slice(summary + 1, summary + 3)
    .reduce((total, line) => total + Number(ERRORS.exec(line)?.[1] ?? 0), 0);
}

// Consecutive FAIL lines share the error below them.
function failuresIn(body: readonly string[]): readonly Failure[] {
  const failures: Failure[] = [];
  let ids: (string | undefined)[] = [];
  let error: string[] = [];
  const flush = () => {
    for (const id of ids) failures.push(toFailure(id, error));
    ids = [];
    error = [];
  };
  let inside = false;
  for (const line of body) {
    const [, heading] = HEADING.exec(line) ?? [];
    const [, name] = (inside && FAILED.exec(line)) || [];
    if (heading !== undefined) {
      flush();
      inside = true;
      if (heading.startsWith("Unhandled") && heading !== "Unhandled Errors") ids.push(undefined);
    } else if (name !== undefined) {
      if (error.length > 0) flush();
      ids.push(name.replace(/ \[ \S+ \]$/, ""));
    } else if (RULE.test(line)) flush();
    else if (ids.length > 0) error.push(line);
  }
  flush();
  return failures;
}

function toFailure(id: string | undefined, error: readonly string[]): Failure {
  const text = until(error, FRAME);
  return failure({
    id,
    message: until(text, /^(?:- Expected|Expected: )/).join("\n"),
    location: locate(error.filter((line) => FRAME.test(line))),
    ...difference(text),
  });
}

// Parses the JUnit platform's console launcher: a tree, the failures with their traces, then a table of counts.

import type { Failure, TestCounts } from "#spec/verdict";
import { difference } from "./difference.ts";
import { isJavaFrame, javaLocation } from "./java-frames.ts";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const FINISHED = /^Test run finished after \d+ ms$/;
const NUMBER = /^\[ +(\d{1,9}) (tests|containers) (found|skipped|started|aborted|successful|failed) +\]$/;
const FAILURES = /^Failures \(\d{1,9}\):$/;
const SOURCE = /^ {4}\w+Source \[className = '([^']+)'(?:, methodName = '([^']+)')?/;
const REASON = /^ {4}=> /;
const INVOCATION = /:(\[\d+\].*)$/;

export const junitConsole: ReportParser = (_, lines) => {
  const at = lines.findLastIndex((line, index) => FINISHED.test(line) && NUMBER.test(lines[index + 1] ?? ""));
  if (at < 0) return undefined;
  const numbers = until(lines.slice(at + 1), /^(?!\[)/);
  const body = lines.slice(0, at);
  const start = body.findLastIndex((line) => FAILURES.test(line));
  const failures = start < 0 ? [] : failuresIn(body.slice(start + 1));
  return report("junit console", [{ counts: countsIn(numbers), failures }], at + numbers.length);
};

function countsIn(numbers: readonly string[]): TestCounts {
  const byName = new Map<string, number>(
    numbers.map((line) => {
      const [, digits, what, state] = NUMBER.exec(line) ?? [];
      return [`${what} ${state}`, Number(digits)] as const;
    }),
  );
  const of = (name: string) => byName.get(name) ?? 0;
  const containers = of("containers failed");
  const skipped = of("tests skipped") + of("tests aborted");
  return countsOf({
    passed: of("tests successful"),
    failed: of("tests failed") + containers,
    skipped,
    extra: containers,
  });
}

function failuresIn(body: readonly string[]): readonly Failure[] {
  const isEntry = (line: string, next = "") =>
    /^ {2}\S/.test(line) && (SOURCE.test(next) || REASON.test(next));
  const starts = body.flatMap((line, at) => (isEntry(line, body[at + 1]) ? [at] : []));
  return starts.map((at, index) => toFailure(body.slice(at, starts[index + 1] ?? body.length)));
}

function toFailure([title = "", ...rest]: readonly string[]): Failure {
  const [, className = "", method] = SOURCE.exec(rest[0] ?? "") ?? [];
  const [, invocation = ""] = INVOCATION.exec(title) ?? [];
  const named = method === undefined ? className : `${className}.${method}${invocation}`;
  const text = until(
    rest.slice(rest.findIndex((line) => REASON.test(line))),
    /^ {7}(?:\S+\(.*\)|\[\.\.\.\])$/,
  ).map((line) => line.replace(REASON, ""));
  return failure({
    id: named || title.trim(),
    message: text.join("\n"),
    location: javaLocation(rest.filter(isJavaFrame), className),
    ...difference(text),
  });
}

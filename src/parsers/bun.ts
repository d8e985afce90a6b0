// Parses `bun test`: results below their file's name, each error above its failed test, then the counts.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { mergeFailures } from "./merge-failures.ts";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";
import { type Span, talliedSpans } from "./spans.ts";

const SUMMARY = /^Ran (\d{1,9}) tests? across \d{1,9} files?\. \[/;
const NUMBER = /^ {1,9}(\d{1,9}) (pass|skip|todo|fail|errors?)$/;
const FILE = /^(\S.{0,400}\.[cm]?[jt]sx?):$/;
const RESULT = /^(?:\((pass|fail|skip|todo)\)|[✓✗»✎]) (\S.*?)(?: \[[\d.]+\w{1,2}\])?$/;
const FAILED = /^(?:\(fail\)|✗) /;
/** After many tests, bun lists those that did not pass again. */
const REPEATED = /^\d{1,9} tests? (?:failed|skipped|todo):$/;
const UNHANDLED = "# Unhandled error between tests";
const RULE = /^-{10,}$/;
const ERROR = /^(?:\w{0,100}Error|error): /;
const FRAME = /^ +at \S/;
const TIMED_OUT = /^ +\^ (this test timed out .*)$/;
/** How bun names a failed hook. */
const HOOK = /\(unnamed\)$/;
const LOOK_BACK = 200;

export const bun: ReportParser = (_, lines) => {
  const spans = talliedSpans(lines, testUnits(), (line) => {
    const [, tests] = SUMMARY.exec(line) ?? [];
    return tests === undefined ? undefined : Number(tests);
  });
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  return report(
    "bun test",
    spans.map((span) => runPart(lines, span)),
    last.to,
  );
};

/** Counts every result as a unit of its run, except in the repeated list. */
function testUnits(): (line: string, at: number) => string | undefined {
  let isRepeated = false;
  return (line, at) => {
    if (REPEATED.test(line)) isRepeated = true;
    if (SUMMARY.test(line)) isRepeated = false;
    return !isRepeated && (RESULT.test(line) || line === UNHANDLED) ? String(at) : undefined;
  };
}

function runPart(lines: readonly string[], { from, to }: Span): RunPart {
  const body = until(lines.slice(from, to), REPEATED);
  const failures = failuresIn(body);
  const numbers = lines.slice(Math.max(from, to - 8), to).flatMap((line) => {
    const [, digits, name = ""] = NUMBER.exec(line) ?? [];
    return digits === undefined ? [] : [{ name, number: Number(digits) }];
  });
  const of = (...names: string[]) =>
    numbers.filter(({ name }) => names.includes(name)).reduce((sum, { number }) => sum + number, 0);
  const hooks = failures.filter(({ id }) => HOOK.test(id ?? "")).length;
  // Bun does not count the error of a hook as a failed test, but it is a failure of the run.
  const failed = Math.max(of("fail"), failures.length);
  return {
    counts: countsOf({
      passed: of("pass"),
      failed,
      skipped: of("skip", "todo"),
      extra: Math.min(failed, of("error", "errors") + hooks),
    }),
    failures,
  };
}

function failuresIn(body: readonly string[]): readonly Failure[] {
  const tests: Failure[] = [];
  const files: Failure[] = [];
  let file: string | undefined;
  let start = 0;
  for (const [at, line] of body.entries()) {
    const [, heading] = FILE.exec(line) ?? [];
    file = heading ?? file;
    if (line === UNHANDLED) files.push(toFailure(file, until(body.slice(at + 2, at + LOOK_BACK), RULE)));
    const [, , name] = RESULT.exec(line) ?? [];
    if (name !== undefined && FAILED.test(line)) {
      const [, late] = TIMED_OUT.exec(body[at + 1] ?? "") ?? [];
      const printed = body.slice(Math.max(start, at - LOOK_BACK), at);
      tests.push(toFailure([file, name].filter(Boolean).join(" > "), printed, late));
    }
    if (name !== undefined || heading !== undefined || RULE.test(line)) start = at + 1;
  }
  return [...mergeFailures(files), ...tests];
}

// Uses the last error, because output of the test comes before it.
function toFailure(id: string | undefined, printed: readonly string[], late?: string): Failure {
  const first = printed.findLastIndex((line) => ERROR.test(line));
  const error = first < 0 ? [] : printed.slice(first);
  const text = until(error, FRAME);
  const label = text.findIndex((line) => /^- Expected {2}-/.test(line));
  return failure({
    id,
    message: late ?? text.join("\n"),
    location: locate(error.filter((line) => FRAME.test(line))),
    // Bun prints the legend of a diff below it, jest above.
    ...difference(label < 0 ? text : [...text.slice(label), ...text.slice(0, label)]),
  });
}

// Parses jest's console reporters. A suite that failed to run counts as one failed test, since jest does not count it.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";
import { type Span, talliedSpans } from "./spans.ts";

const SUITES = /^Test Suites: (\S.*)$/;
const TESTS = /^Tests: {2,7}(\S.*)$/;
const NOTHING = /^No tests found, exiting with code \d/;
const FILE = /^ ?(PASS|FAIL) {1,2}(\S.*)$/;
const TITLE = /^ {2}● (\S.*)$/;
const UNLOADED = "Test suite failed to run";
const ELAPSED = / \([^()]*\d m?s[^()]*\)$/;
const ADVICE = /^ {4}(?:Jest encountered an unexpected token|SyntaxError: Cannot use import statement)/;
const DETAILS = "    Details:";
/** Syntax errors as Babel, TypeScript, esbuild and Node.js print them. */
const UNPARSED = [
  /^ {4}SyntaxError: (\S{1,400}): .* \((\d{1,9}):\d{1,9}\)/,
  /^ {4}(\S{1,400}):(\d{1,9}):\d{1,9}(?: - |: )error\b/i,
  /^ {4}(\S{1,400}):(\d{1,9})$/,
];
const CODE_OR_FRAME = /^ {4,}(?:> *)?\d+ \||^ {4,}at /;

export const jest: ReportParser = (_, lines) => {
  const spans = talliedSpans(lines, fileOf, (line, at) => suitesRun(lines, line, at));
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  return report(
    "jest",
    spans.map((span) => runPart(lines, span)),
    last.to,
  );
};

function fileOf(line: string): string | undefined {
  return FILE.exec(line)?.[2]?.replace(ELAPSED, "");
}

function suitesRun(lines: readonly string[], line: string, at: number): number | undefined {
  if (NOTHING.test(line)) return 0;
  const [, suites] = (TESTS.test(line) && SUITES.exec(lines[at - 1] ?? "")) || [];
  return suites === undefined ? undefined : numberOf(suites, "failed") + numberOf(suites, "passed");
}

function runPart(lines: readonly string[], span: Span): RunPart {
  const [, numbers = ""] = TESTS.exec(lines[span.to] ?? "") ?? [];
  const { failures, unloaded } = failuresIn(lines.slice(span.from, span.to));
  const failed = numberOf(numbers, "failed") + unloaded;
  const skipped = numberOf(numbers, "skipped") + numberOf(numbers, "todo");
  return {
    counts: countsOf({ passed: numberOf(numbers, "passed"), failed, skipped, extra: unloaded }),
    failures,
  };
}

function numberOf(numbers: string, state: string): number {
  const part = numbers.split(", ").find((each) => each.endsWith(` ${state}`));
  return Number(/^\d{1,9}/.exec(part ?? "")?.[0] ?? 0);
}

function failuresIn(body: readonly string[]): { failures: readonly Failure[]; unloaded: number } {
  const failures: Failure[] = [];
  const unloaded = new Set<string>();
  let file: string | undefined;
  for (const [at, line] of body.entries()) {
    const [, state, name = ""] = FILE.exec(line) ?? [];
    if (state !== undefined) file = state === "FAIL" ? name.replace(ELAPSED, "") : undefined;
    const [, title] = TITLE.exec(line) ?? [];
    if (title === undefined || file === undefined || title === "Console") continue;
    if (title === UNLOADED) unloaded.add(file);
    failures.push(
      toFailure(title === UNLOADED ? file : `${file} > ${titlePath(title)}`, errorBelow(body, at)),
    );
  }
  return { failures, unloaded: unloaded.size };
}

function titlePath(title: string): string {
  return title.split(" › ").join(" > ");
}

// An error is indented by four spaces; the next title, file or summary is not.
function errorBelow(body: readonly string[], title: number): readonly string[] {
  return until(body.slice(title + 1, title + 200), /^ {0,3}\S/);
}

function toFailure(id: string, block: readonly string[]): Failure {
  const error = withoutAdvice(block);
  const text = until(error, CODE_OR_FRAME);
  return failure({
    id,
    message: dedent(until(text, /^ {4}(?:- Expected|Expected: )/)),
    location: unparsedIn(text) ?? locate(error.filter((line) => /^ {4,}at /.test(line))),
    ...difference(text),
  });
}

/** Removes the general advice that jest prints above a syntax error. */
function withoutAdvice(error: readonly string[]): readonly string[] {
  const first = error.find((line) => line.trim() !== "") ?? "";
  const details = ADVICE.test(first) ? error.indexOf(DETAILS) : -1;
  return details < 0 ? error : error.slice(details + 1);
}

/** Location of the syntax error; the stack only shows the importers. */
function unparsedIn(text: readonly string[]): string | undefined {
  const first = text.find((line) => line.trim() !== "" && !/^ {4}Transform failed with /.test(line)) ?? "";
  const [, file, line] = UNPARSED.flatMap((pattern) => pattern.exec(first) ?? []);
  return file && `${file}:${line}`;
}

// Parses uvu: failures below the name of their file, then the counts.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const NUMBERS = [/^ {2}Total: +(\d{1,9})$/, /^ {2}Passed: +(\d{1,9})$/, /^ {2}Skipped: +(\d{1,9})$/] as const;
const FILE = /^(\S+\.[cm]?[jt]sx?)$/;
const FAILED = /^ {2,4}FAIL {2}(?:(\S.*) {2})?"(.+)"$/;
const FRAME = /^ {4}at \S/;
const EXPECTED = /^ {8}\+\+(.*?)(?: +\(Expected\))?$/;
const ACTUAL = /^ {8}--(.*?)(?: +\(Actual\))?$/;

export const uvu: ReportParser = (_, lines) => {
  const at = lines.findLastIndex((_line, index) =>
    NUMBERS.every((number, offset) => number.test(lines[index + offset] ?? "")),
  );
  if (at < 0) return undefined;
  const [total = 0, passed = 0, skipped = 0] = NUMBERS.map((number, offset) =>
    Number(number.exec(lines[at + offset] ?? "")?.[1]),
  );
  const counts = countsOf({ passed, failed: Math.max(0, total - passed), skipped });
  return report("uvu", [{ counts, failures: failuresIn(lines.slice(0, at)) }], at + NUMBERS.length);
};

function failuresIn(lines: readonly string[]): readonly Failure[] {
  const failures: Failure[] = [];
  let file: string | undefined;
  for (const [at, line] of lines.entries()) {
    file = FILE.exec(line)?.[1] ?? file;
    const [, suite, name] = FAILED.exec(line) ?? [];
    if (name === undefined) continue;
    const error = until(lines.slice(at + 1, at + 200), /^ {0,3}\S/);
    failures.push(toFailure([file, suite, name].filter(Boolean).join(" > "), error));
  }
  return failures;
}

function toFailure(id: string, error: readonly string[]): Failure {
  const text = until(error, FRAME);
  const sideOf = (side: RegExp) =>
    text.flatMap((line) => side.exec(line)?.[1]?.trim() ?? []).join("\n") || undefined;
  return failure({
    id,
    message: text.map((line) => line.trim()).join("\n"),
    location: locate(error.filter((line) => FRAME.test(line))),
    expected: sideOf(EXPECTED),
    actual: sideOf(ACTUAL),
  });
}

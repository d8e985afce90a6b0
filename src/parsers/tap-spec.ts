// Parses tap-spec: assertions below the name of their test, then the counts. As in TAP, each assertion counts.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report, withStableIds } from "./shared/report.ts";

const TOTAL = /^ {2}total: {1,9}(\d{1,9})$/;
const PASSING = /^ {2}passing: {1,9}(\d{1,9})$/;
const SUMMARY = /^ {2}Failed Tests: There (?:was|were) \d/;
const TEST = /^ {2}(\S.*)$/;
const FAILED = /^ {4}[✖×] (.+)$/;
const PLACE = /^ {6}at: /;
const BLANK = /^\s*$/;
const MOST_LINES = 200;

export const tapSpec: ReportParser = (_, lines) => {
  const at = lines.findLastIndex((line, index) => TOTAL.test(line) && PASSING.test(lines[index + 1] ?? ""));
  if (at < 0) return undefined;
  const [total, passed] = [TOTAL.exec(lines[at] ?? ""), PASSING.exec(lines[at + 1] ?? "")].map((match) =>
    Number(match?.[1]),
  ) as [number, number];
  const counts = countsOf({ passed, failed: Math.max(0, total - passed), skipped: 0 });
  const body = until(lines.slice(0, at), SUMMARY);
  return report("tap-spec", [{ counts, failures: withStableIds(failuresIn(body)) }], at + 1);
};

function failuresIn(lines: readonly string[]): readonly Failure[] {
  const failures: Failure[] = [];
  let test = "";
  for (const [at, line] of lines.entries()) {
    const [, name] = TEST.exec(line) ?? [];
    // Stack lines have the same indentation, but no blank lines around them.
    const isAlone = BLANK.test(lines[at - 1] ?? "") && BLANK.test(lines[at + 1] ?? "");
    if (name !== undefined && isAlone) test = name;
    const [, assertion] = FAILED.exec(line) ?? [];
    if (assertion === undefined) continue;
    const details = until(lines.slice(at + 1, at + MOST_LINES), BLANK);
    failures.push(toFailure(`${test} > ${assertion}`, details));
  }
  return failures;
}

function toFailure(id: string, details: readonly string[]): Failure {
  const text = until(details, /^ {6}stack:/);
  return failure({
    id,
    message: text
      .slice(1)
      .map((line) => line.trim())
      .join("\n"),
    location: locate(text.filter((line) => PLACE.test(line))),
    expected: readValue("expected", text),
    actual: readValue("actual", text),
  });
}

/** The value is on the key's line, or below it after `|-`. */
function readValue(key: string, lines: readonly string[]): string | undefined {
  const at = lines.findIndex((line) => line.startsWith(`      ${key}:`));
  if (at < 0) return undefined;
  const value = (lines[at] ?? "").slice(key.length + 7).trim();
  if (value !== "|-") return value;
  const below = until(lines.slice(at + 1), /^ {6}\S/);
  return below.map((line) => line.trim()).join("\n");
}

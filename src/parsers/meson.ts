// Parses `meson test`: a line per test, output of failed tests with --print-errorlogs, then a block of counts. Expected
// failures count as skipped, unexpected passes and timeouts as failed.

import type { Failure, TestCounts } from "#spec/verdict";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const FIRST = /^Ok: +\d{1,9}\s*$/;
const NUMBER = /^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout): +(\d{1,9})\s*$/;
const RESULT =
  /^ *\d{1,9}\/\d{1,9} (\S.*?) +(FAIL|ERROR|TIMEOUT|UNEXPECTEDPASS|INTERRUPT) +[\d.]+s(?: +(\S.*))?$/;
const ANY_RESULT = /^ *\d{1,9}\/\d{1,9} \S.* +[A-Z]+ +[\d.]+s/;
const CUT = /^―+ ✀ +―+$/;
const RULE = /^―{10,}$/;
const AGAIN = /^Summary of Failures:$/;

export const meson: ReportParser = (_, lines) => {
  const at = lines.findLastIndex((line, index) => FIRST.test(line) && NUMBER.test(lines[index + 1] ?? ""));
  if (at < 0) return undefined;
  const block = until(lines.slice(at, at + 8), /^(?!\w.*: +\d)/);
  const failures = failuresIn(until(lines.slice(0, at), AGAIN));
  return report("meson", [{ counts: countsIn(block), failures }], at + block.length - 1);
};

function countsIn(block: readonly string[]): TestCounts {
  const numbers = new Map(
    block.map((line) => {
      const [, name = "", digits] = NUMBER.exec(line) ?? [];
      return [name, Number(digits)] as const;
    }),
  );
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (numbers.get(name) ?? 0), 0);
  return countsOf({
    passed: of("Ok"),
    failed: of("Fail", "Unexpected Pass", "Timeout"),
    skipped: of("Skipped", "Expected Fail"),
  });
}

function failuresIn(lines: readonly string[]): readonly Failure[] {
  const results = lines.flatMap((line, at) => (ANY_RESULT.test(line) ? [at] : []));
  return results.flatMap((at, index) => {
    const [, id, status = "", how = ""] = RESULT.exec(lines[at] ?? "") ?? [];
    if (id === undefined) return [];
    const below = lines.slice(at + 1, results[index + 1] ?? lines.length);
    const cut = below.findIndex((line) => CUT.test(line));
    const printed = cut < 0 ? [] : until(below.slice(cut + 1), RULE);
    return [failure({ id, message: [how || status.toLowerCase(), ...printed].join("\n") })];
  });
}

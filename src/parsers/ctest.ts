// Parses CTest, alone and through `make test`: a line per program, then the counts. Counts programs, not their tests:
// if a failing program printed its own report, its failing tests are listed and nothing is counted.

import type { Failure } from "#spec/verdict";
import { catch2 } from "./catch2.ts";
import { doctest } from "./doctest.ts";
import { googletest } from "./googletest.ts";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";
import { unity } from "./unity.ts";

const SUMMARY = /^\d{1,3}% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$/;
const RESULT =
  /^ *\d{1,9}\/\d{1,9} Test +#(\d{1,9}): (\S.*?) \.*(?: +(Passed)|\*\*\*([A-Z]\w.*?)) +[\d.]+ sec$/;
const OTHER = /^ +Start +\d{1,9}: |^test \d{1,9}$/;
const SKIPPED = /^Skipped$|^Not Run \(Disabled\)$/;
const LISTED = /^\s+\d{1,9} - (\S.*?) \(([^()]+)\)/;
const LIST = "The following tests FAILED:";
const UNCOUNTED = "CTest counts programs, not their tests";

export const ctest: ReportParser = (_, lines) => {
  const at = lines.findLastIndex((line) => SUMMARY.test(line));
  if (at < 0) return undefined;
  const [, failed = 0, total = 0] = (SUMMARY.exec(lines[at] ?? "") ?? []).map(Number);
  const results = resultsIn(lines.slice(0, at));
  const skipped = Math.min(results.filter(({ status }) => SKIPPED.test(status)).length, total - failed);
  const programs = results
    .filter(({ status }) => status !== "" && !SKIPPED.test(status))
    .slice(-failed || total);
  const below = lines.slice(at + 1).findLastIndex((line) => LISTED.test(line));
  const counts = countsOf({ passed: Math.max(0, total - failed - skipped), failed, skipped });
  // If the beginning is cut off (`make test | tail`), the list at the end still has every name.
  const named = programs.length < failed ? listedIn(lines.slice(at + 1)) : programs;
  const failures = failed === 0 ? [] : named.map(failuresOf);
  if (failures.every(({ length }) => length === 1))
    return report("ctest", [{ counts, failures: failures.flat() }], at + 1 + below);
  const tests = failures.flat();
  const listReport = report(
    "ctest",
    [{ counts: countsOf({ passed: 0, failed: tests.length, skipped: 0 }), failures: tests }],
    at + 1 + below,
  );
  return { ...listReport, uncounted: { why: UNCOUNTED } };
};

interface Result {
  readonly name: string;
  /** Empty for a program that passed. */
  readonly status: string;
  readonly output: readonly string[];
}

function listedIn(lines: readonly string[]): readonly Result[] {
  return lines.slice(lines.indexOf(LIST) + 1).flatMap((line) => {
    const [, name, status] = LISTED.exec(line) ?? [];
    return name === undefined || status === undefined ? [] : [{ name, status, output: [] }];
  });
}

// A program's output is below its line or, with -V, above it with its number as prefix.
function resultsIn(lines: readonly string[]): readonly Result[] {
  const isBoundary = (line: string) => OTHER.test(line) || RESULT.test(line);
  const bounds = lines.flatMap((line, at) => (isBoundary(line) ? [at] : []));
  return bounds.flatMap((at, index) => {
    const [, number, name = "", passed, status = ""] = RESULT.exec(lines[at] ?? "") ?? [];
    if (number === undefined) return [];
    const above = lines
      .slice((bounds[index - 1] ?? -1) + 1, at)
      .filter((line) => line.startsWith(`${number}: `));
    const below = until(lines.slice(at + 1, bounds[index + 1] ?? lines.length), SUMMARY);
    const output = above.length > 0 ? above.map((line) => line.slice(number.length + 2)) : below;
    return [{ name, status: passed === undefined ? status : "", output }];
  });
}

/** The failing tests according to the program's own report, else the program itself. */
function failuresOf({ name, status, output }: Result): readonly Failure[] {
  const text = output.join("\n");
  const inner = [catch2, doctest, googletest, unity].map((parse) => parse(text, output)).find(Boolean);
  if (inner !== undefined && inner.failures.length > 0)
    return inner.failures.map((each) => ({ ...each, id: each.id === name ? name : `${name} > ${each.id}` }));
  const printed = dedent(output).trim();
  return [failure({ id: name, message: printed === "" ? status : `${status}\n${printed}` })];
}

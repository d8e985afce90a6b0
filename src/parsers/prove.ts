// Perl's prove: a line per file, then a summary. Names of failed tests stand on stderr, written by Test::More.

import type { Failure } from "#spec/verdict";
import { failure } from "./failure.ts";
import { until } from "./lines.ts";
import { countsOf, type ReportParser, report } from "./report.ts";

const RESULT = /^Result: (?:PASS|FAIL|NOTESTS)$/;
const TOTAL = /^Files=\d{1,9}, Tests=(\d{1,9}), /;
const FILE = /^(\S.*?)\s+\(Wstat: .*Tests: \d{1,9} Failed: (\d{1,9})\)$/;
const FAILED = /^# {3}Failed test(?: '(.*)')?$/;
const PLACE = /^# {3}at (\S+) line (\d{1,9})\.$/;
const MOST_REASONS = 20;
const VALUE = /^# +(got|expected): (.*)$/;

export const prove: ReportParser = (_, lines) => {
  const at = lines.findLastIndex((line, index) => RESULT.test(line) && TOTAL.test(lines[index - 1] ?? ""));
  if (at < 0) return undefined;
  const tests = Number(TOTAL.exec(lines[at - 1] ?? "")?.[1]);
  const start = lines.lastIndexOf("Test Summary Report", at);
  const files = start < 0 ? [] : filesIn(lines.slice(start, at));
  const named = byFile(namedIn(lines.slice(0, at)));
  const failures = files.flatMap((file) => failuresOf(file, named));
  // A file that broke outside of its tests is no test of its own.
  const broken = files.filter(({ failed }) => failed === 0).length;
  const failed = Math.min(
    tests,
    files.reduce((sum, file) => sum + file.failed, 0),
  );
  return report("prove", [{ counts: countsOf(tests - failed, failed + broken, 0, broken), failures }], at);
};

interface File {
  readonly name: string;
  readonly failed: number;
  readonly why: readonly string[];
}

function filesIn(lines: readonly string[]): readonly File[] {
  return lines.flatMap((line, at) => {
    const [, name, failed] = FILE.exec(line) ?? [];
    if (name === undefined) return [];
    return [
      {
        name,
        failed: Number(failed),
        why: until(lines.slice(at + 1, at + MOST_REASONS), /^\S/).map((each) => each.trim()),
      },
    ];
  });
}

function namedIn(lines: readonly string[]): readonly Failure[] {
  return lines.flatMap((line, at) => {
    const [matched, name] = FAILED.exec(line) ?? [];
    const [, file, row] = PLACE.exec(lines[at + 1] ?? "") ?? [];
    if (matched === undefined || file === undefined) return [];
    const rest = until(lines.slice(at + 2, at + 30), /^(?!# {4,})/);
    const values = new Map(
      rest.map((each) => {
        const [, key = "", value = ""] = VALUE.exec(each) ?? [];
        return [key, value.replace(/^'(.*)'$/, "$1")] as const;
      }),
    );
    const message = [name ?? "failed", ...rest.map((each) => each.slice(1).trim())].join("\n");
    return [
      failure({
        id: `${file} > ${name ?? `line ${row}`}`,
        message,
        location: `${file}:${row}`,
        expected: values.get("expected"),
        actual: values.get("got"),
      }),
    ];
  });
}

function byFile(failures: readonly Failure[]): ReadonlyMap<string, readonly Failure[]> {
  const found = new Map<string, Failure[]>();
  for (const each of failures) {
    const file = each.location?.replace(/:\d+$/, "") ?? "";
    const same = found.get(file);
    if (same === undefined) found.set(file, [each]);
    else same.push(each);
  }
  return found;
}

function failuresOf(
  { name, failed, why }: File,
  named: ReadonlyMap<string, readonly Failure[]>,
): readonly Failure[] {
  const own = named.get(name)?.slice(0, failed) ?? [];
  return own.length > 0 ? own : [failure({ id: name, message: why.join("\n") })];
}

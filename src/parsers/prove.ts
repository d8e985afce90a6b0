// Parses Perl's prove: a line per file, then a summary. Test::More prints the names of failed tests on stderr.

import type { Failure } from "#spec/verdict";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { type PerlError, perlErrors } from "./shared/perl-errors.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

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
  // A file that broke outside of its tests does not count as a test.
  const broken = files.filter(({ failed }) => failed === 0).length;
  const errors = errorsIn(lines.slice(0, at));
  const failures = files.flatMap((file) => failuresOf(file, named, causeOf(file, errors, broken === 1)));
  const failed = Math.min(
    tests,
    files.reduce((sum, file) => sum + file.failed, 0),
  );
  return report(
    "prove",
    [
      {
        counts: countsOf({ passed: tests - failed, failed: failed + broken, skipped: 0, extra: broken }),
        failures,
      },
    ],
    at,
  );
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
  const byName = new Map<string, Failure[]>();
  for (const each of failures) {
    const file = each.location?.replace(/:\d+$/, "") ?? "";
    const same = byName.get(file);
    if (same === undefined) byName.set(file, [each]);
    else same.push(each);
  }
  return byName;
}

interface Errors {
  /** File to the last error that names it. */
  readonly naming: ReadonlyMap<string, PerlError>;
  readonly last: PerlError | undefined;
}

function errorsIn(lines: readonly string[]): Errors {
  const errors = perlErrors(lines);
  const naming = errors.flatMap((error) =>
    error.lines.flatMap((line) =>
      [...line.matchAll(/ at (\S{1,400}) line \d/g)].map(([, file = ""]) => [file, error] as const),
    ),
  );
  return { naming: new Map(naming), last: errors.at(-1) };
}

/** Why a file broke: the error that names it; else the last error, if no other file broke. */
function causeOf({ name }: File, { naming, last }: Errors, isOnly: boolean): PerlError | undefined {
  return naming.get(name) ?? (isOnly ? last : undefined);
}

function failuresOf(
  { name, failed, why }: File,
  named: ReadonlyMap<string, readonly Failure[]>,
  cause: PerlError | undefined,
): readonly Failure[] {
  const own = named.get(name)?.slice(0, failed) ?? [];
  if (own.length > 0) return own;
  const message = [...(cause?.lines ?? []), ...why].join("\n");
  return [failure({ id: name, message, location: cause && `${cause.file}:${cause.line}` })];
}

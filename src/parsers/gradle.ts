// Parses Gradle's test task. Gradle prints the number of tests only if some failed, so it is not used as a count:
// otherwise a gate that saw it in a failed run would expect it in a passed one.

import type { Failure } from "#spec/verdict";
import { difference } from "./difference.ts";
import { javaLocation } from "./java-frames.ts";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const SUMMARY = /^(\d{1,9}) tests? completed, (\d{1,9}) failed(?:, (\d{1,9}) skipped)?$/;
const FAILED = /^(?! )(.+ > .+) FAILED$/;
const SHORT_PLACE = /^ {4}\S+ at ([\w$]+\.\w+:\d{1,9})$/;
const UNCOUNTED = "Gradle does not count tests that pass";

export const gradle: ReportParser = (_, lines) => {
  const ends = lines.flatMap((line, at) => (SUMMARY.test(line) ? [at] : []));
  const last = ends.at(-1);
  if (last === undefined) return undefined;
  const parts = ends.map((at, index) => {
    const [, failed = 0] = (SUMMARY.exec(lines[at] ?? "") ?? [])
      .slice(1)
      .map((digits) => Number(digits ?? 0));
    return {
      counts: countsOf({ passed: 0, failed, skipped: 0 }),
      failures: failuresIn(lines.slice(ends[index - 1] ?? 0, at)),
    };
  });
  return { ...report("gradle", parts, last), uncounted: { why: UNCOUNTED } };
};

function failuresIn(lines: readonly string[]): readonly Failure[] {
  return lines.flatMap((line, at) => {
    const [, id] = FAILED.exec(line) ?? [];
    return id === undefined ? [] : [toFailure(id, until(lines.slice(at + 1, at + 200), /^(?! {4})/))];
  });
}

function toFailure(id: string, error: readonly string[]): Failure {
  const [className = ""] = id.split(" > ", 1);
  const text = until(error, /^ {8}at /);
  const [, place] = SHORT_PLACE.exec(error[0] ?? "") ?? [];
  const folder = className.includes(".")
    ? `${className.slice(0, className.lastIndexOf(".")).replaceAll(".", "/")}/`
    : "";
  return failure({
    id,
    message: dedent(text),
    location: javaLocation(error, className) ?? (place === undefined ? undefined : folder + place),
    ...difference(text),
  });
}

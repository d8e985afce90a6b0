// Parses Maven Surefire and Failsafe: a line of counts per module, all added up; each failure with its trace above.

import type { Failure, TestCounts } from "#spec/verdict";
import { difference } from "./difference.ts";
import { javaClassOf, javaLocation } from "./java-frames.ts";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const NUMBERS = String.raw`Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})`;
const MODULE = new RegExp(String.raw`^(?:\[(?:INFO|WARNING|ERROR)\] +)?${NUMBERS}$`);
const CLASS = new RegExp(String.raw`^(?:\[(?:INFO|WARNING|ERROR)\] +)?${NUMBERS},.* --? in (\S+)$`);
const FAILED = /^(?:\[ERROR\] +)?(\S.*?)(?: --)? +Time elapsed: [\d.,]+ s(?:ec)? +<<< (?:FAILURE|ERROR)!$/;
const OLD_NAME = /^(\S+)\(([\w$.]+)\)$/;
const AFTER = /^\[(?:INFO|WARNING|ERROR)\]|^$/;
const INFO = /^\[INFO\] /;
const UNCOUNTED = "Maven does not count passing tests with -q";

export const surefire: ReportParser = (_, lines) => {
  const modules = lines.flatMap((line, at) => (MODULE.test(line) ? [at] : []));
  const endsAt = modules.at(-1);
  if (endsAt === undefined) return undefined;
  const parts = modules.map((at, index) => ({
    counts: countsIn(lines[at] ?? ""),
    failures: failuresIn(lines.slice((modules[index - 1] ?? -1) + 1, at)),
  }));
  const all = report("surefire", parts, endsAt);
  // With -q, Maven prints counts of failing modules only.
  return lines.some((line) => INFO.test(line)) ? all : { ...all, uncounted: { why: UNCOUNTED } };
};

function countsIn(line: string): TestCounts {
  const [run = 0, failures = 0, errors = 0, skipped = 0] = (MODULE.exec(line) ?? []).slice(1).map(Number);
  return countsOf({
    passed: Math.max(0, run - failures - errors - skipped),
    failed: failures + errors,
    skipped,
  });
}

function failuresIn(lines: readonly string[]): readonly Failure[] {
  const failures: Failure[] = [];
  let current = "";
  for (const [at, line] of lines.entries()) {
    current = CLASS.exec(line)?.[5] ?? current;
    const [, name] = FAILED.exec(line) ?? [];
    if (name !== undefined)
      failures.push(toFailure(name, current, until(lines.slice(at + 1, at + 200), AFTER)));
  }
  return failures;
}

// Surefire 3 prints `package.Class.method`, older versions `method(package.Class)` or the bare method.
function toFailure(name: string, current: string, error: readonly string[]): Failure {
  const [, method = name, owner] = OLD_NAME.exec(name) ?? [];
  const [bare = ""] = method.split(/[{([]/, 1);
  const isWhole = owner === undefined && bare.includes(".");
  const className =
    owner ?? (isWhole ? bare.slice(0, bare.lastIndexOf(".")) : (javaClassOf(error, bare) ?? current));
  const text = until(error, /^\tat /);
  return failure({
    id: isWhole || className === "" ? name : `${className}.${method}`,
    message: text.join("\n"),
    location: javaLocation(error, className),
    ...difference(text),
  });
}

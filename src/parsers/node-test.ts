// Parses the spec reporter of node:test: a tree of names, then the counts, then the failures.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { failure, isFile } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";
import { type Span, talliedSpans } from "./spans.ts";

const NUMBERS = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"] as const;
const BRANCH = /^( {0,200})▶ (\S.*)$/;
const LEAF = /^( {0,200})(?:✔|✖|﹣|⚠) (\S.*)$/;
const ELAPSED = / \(\d[\d.]*ms\)(?: #.*)?$/;
const DECLARED = /^test at (\S.*):(\d+):\d+$/;
const VALUE = /^ {4}(expected|actual): (.*[^,{[]),?$/;

export const nodeTest: ReportParser = (_, lines) => {
  const isResult = (line: string, at: number) =>
    LEAF.test(line) && ELAPSED.test(line) && !DECLARED.test(lines[at - 1] ?? "");
  const spans = talliedSpans(
    lines,
    (line, at) => (isResult(line, at) ? String(at) : undefined),
    (line, at) => (line.startsWith("ℹ tests ") ? resultsAt(lines, at) : undefined),
  );
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  const ends = spans.map((_, index) => spans[index + 1]?.to ?? lines.length);
  const parts = spans.map((span, index) => {
    const failures = failuresIn(lines, span, ends[index] ?? lines.length);
    return { counts: countsAt(lines, span.to, failures.filter(isFile).length), failures };
  });
  const endsAt = lines.findLastIndex((line) => line.trim() !== "");
  return report("node:test", parts, parts.at(-1)?.counts.failed ? endsAt : last.to);
};

// Undefined unless all counts are there in order: a test may print one such line, but hardly all.
function numbersAt(lines: readonly string[], start: number): readonly number[] | undefined {
  const numbers = NUMBERS.map((name, offset) => {
    const line = lines[start + offset] ?? "";
    return line.startsWith(`ℹ ${name} `)
      ? Number(/^\d{1,9}$/.exec(line.slice(name.length + 3)) ?? Number.NaN)
      : Number.NaN;
  });
  return numbers.some(Number.isNaN) ? undefined : numbers;
}

function resultsAt(lines: readonly string[], start: number): number | undefined {
  const [tests = 0, suites = 0] = numbersAt(lines, start) ?? [Number.NaN];
  return Number.isNaN(tests) ? undefined : tests + suites;
}

function countsAt(lines: readonly string[], start: number, files: number): TestCounts {
  const [, , passed = 0, failed = 0, cancelled = 0, skipped = 0, todo = 0] = numbersAt(lines, start) ?? [];
  return countsOf({
    passed,
    failed: failed + cancelled,
    skipped: skipped + todo,
    extra: Math.min(files, failed),
  });
}

function failuresIn(lines: readonly string[], span: Span, end: number): readonly Failure[] {
  const names = fullNames(lines.slice(span.from, span.to));
  const titles: number[] = [];
  for (let at = span.to; at < end; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("✖ ") && ELAPSED.test(line)) titles.push(at);
  }
  // If declarations are shown, a title without one belongs to the tree of the next run.
  const declared = titles.filter((at) => DECLARED.test(lines[at - 1] ?? ""));
  const listed = declared.length > 0 ? declared : titles;
  return listed.map((at, index) => toFailure(lines.slice(at - 1, listed[index + 1] ?? end), names));
}

// Maps the bare names of the failure list to full names from the tree. The elapsed time makes a line unique.
function fullNames(tree: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const parents: string[] = [];
  for (const line of tree) {
    const [, indent = "", name] = BRANCH.exec(line) ?? LEAF.exec(line) ?? [];
    if (name === undefined) continue;
    const depth = Math.floor(indent.length / 2);
    parents.length = Math.min(depth, parents.length);
    const own = name.replace(ELAPSED, "");
    if (ELAPSED.test(name)) names.set(name, [...parents, own].join(" > "));
    else parents.push(own);
  }
  return names;
}

function toFailure(entry: readonly string[], names: ReadonlyMap<string, string>): Failure {
  const [declaration = "", title = ""] = entry;
  const error = until(entry.slice(2), /^\S/);
  const name = title.slice(2);
  const [, path, line] = DECLARED.exec(declaration) ?? [];
  const full = names.get(name) ?? name.replace(ELAPSED, "");
  const values = new Map(error.flatMap((each) => valueIn(each)));
  return failure({
    // A file that did not load has its path as name; older versions print the absolute path.
    id: path !== undefined && full.endsWith(`/${path}`) ? path : full,
    message: dedent(until(error, /^\s+at \S/)),
    location: locationOf(error, path, line),
    expected: values.get("expected"),
    actual: values.get("actual"),
  });
}

function valueIn(line: string): readonly (readonly [string, string])[] {
  const [, key, value] = VALUE.exec(line) ?? [];
  return key === undefined || value === undefined ? [] : [[key, value]];
}

// Location of the error if it is in the file that declares the test, else of the declaration.
function locationOf(error: readonly string[], path?: string, line?: string): string | undefined {
  const frame = locate(error.filter((each) => /^\s+at /.test(each)));
  if (path === undefined) return frame;
  const [file = "", row = ""] = frame?.split(/:(?=\d+$)/) ?? [];
  return file === path || file.endsWith(`/${path}`) ? `${path}:${row}` : `${path}:${line}`;
}

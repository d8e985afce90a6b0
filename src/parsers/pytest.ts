// Parses pytest's console output. Errors (a broken fixture or import) count as failed, xfailed as skipped.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { dedent } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";
import { announcedSpans, type Span } from "./spans.ts";

const SESSION = /^=+ test session starts =+$/;
const SUMMARY = /^(?:=+ )?(\d[^=]*|no tests ran) in \d[\d.]*(?:s| seconds)(?: \([\d:]+\))?(?: =+)?$/;
const ITEM =
  /^(\d{1,9}) (failed|passed|skipped|deselected|xfailed|xpassed|error|warning|rerun|subtests passed)s?$/;
const SHORT = /^=+ short test summary info =+$/;
const LISTED = /^(?:FAILED|ERROR) (\S.*)$/;
const SECTION = /^_+ (\S.*) _+$/;
const SECTION_END = /^=+ .+ =+$/;

export const pytest: ReportParser = (_, lines) => {
  const spans = announcedSpans(
    lines,
    (line) => SESSION.test(line),
    (line) => numbersIn(line) !== undefined,
  );
  const last = spans.at(-1);
  // With -qq there are no counts: a test printed what looked like them above the list of failures.
  if (last === undefined || lines.some((line, at) => at > last.to && SHORT.test(line))) return undefined;
  return report(
    "pytest",
    spans.map((span) => ({ counts: countsAt(lines[span.to] ?? ""), failures: failuresIn(lines, span) })),
    last.to,
  );
};

function numbersIn(line: string): ReadonlyMap<string, number> | undefined {
  const [, summary] = SUMMARY.exec(line) ?? [];
  if (summary === undefined) return undefined;
  const items = summary === "no tests ran" ? [] : summary.split(", ").map((item) => ITEM.exec(item));
  if (items.some((item) => item === null)) return undefined;
  return new Map(items.map((item) => [item?.[2] ?? "", Number(item?.[1])]));
}

function countsAt(line: string): TestCounts {
  const numbers = numbersIn(line);
  const of = (state: string) => numbers?.get(state) ?? 0;
  const errors = of("error");
  return countsOf({
    passed: of("passed") + of("xpassed"),
    failed: of("failed") + errors,
    skipped: of("skipped") + of("xfailed"),
    extra: errors,
  });
}

function failuresIn(lines: readonly string[], span: Span): readonly Failure[] {
  const body = lines.slice(span.from, span.to);
  const details = sections(body);
  return body
    .slice(body.findLastIndex((line) => SHORT.test(line)) + 1)
    .flatMap((line) => LISTED.exec(line)?.[1] ?? [])
    .map((entry) => toFailure(entry, details));
}

// Parameters may contain " - ", which does not end the id inside brackets.
function toFailure(entry: string, details: Map<string, (readonly string[])[]>): Failure {
  const opened = entry.indexOf("[");
  const dash = entry.indexOf(" - ");
  const inside = opened >= 0 && opened < dash && !entry.slice(opened, dash).includes("]");
  const end = inside ? entry.indexOf("] - ") + 1 || entry.length : dash < 0 ? entry.length : dash;
  const id = entry.slice(0, end);
  const section = details.get(titleOf(id))?.shift() ?? [];
  const error = section.filter((line) => /^E {1,}/.test(line)).map((line) => line.slice(1));
  return failure({
    id,
    message: error.length > 0 ? dedent(error) : entry.slice(end + 3),
    location: locate(section.filter((line) => /^\S+:\d+: /.test(line))),
  });
}

// "tests/test_a.py::TestB::test_c" has its details under "TestB.test_c"; a file that did not load, under its path.
function titleOf(id: string): string {
  const [path = "", ...names] = id.split("::");
  return names.length === 0 ? path : names.join(".");
}

function sections(body: readonly string[]): Map<string, (readonly string[])[]> {
  const sections = new Map<string, (readonly string[])[]>();
  let current: string[] | undefined;
  for (const line of body) {
    const [, title] = SECTION.exec(line) ?? [];
    if (title !== undefined) {
      current = [];
      const name = title.replace(/^ERROR (?:at (?:setup|teardown) of|collecting) /, "");
      const same = sections.get(name);
      if (same === undefined) sections.set(name, [current]);
      else same.push(current);
    } else if (SECTION_END.test(line)) current = undefined;
    else current?.push(line);
  }
  return sections;
}

// Parses Catch2 2 and 3. Counts test cases; all failed assertions of one case, in any section, make one failure.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { mergeFailures } from "./merge-failures.ts";
import { failure } from "./shared/failure.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const RULE = /^={79}$/;
const LINE = /^-{79}$/;
const DOTS = /^\.{79}$/;
const PASSED = /^All tests passed \(\d{1,9} assertions? in (\d{1,9}) test cases?\)$/;
const NUMBERS = /^test cases: +\d{1,9} \|.*$/;
const NOTHING = /^No tests ran$/;
const NUMBER = /\| +(\d{1,9}) (passed|failed as expected|failed|skipped)(?= |$)/g;
const FAILED = /^\S.*:\d+: FAILED:$/;

export const catch2: ReportParser = (_, lines) => {
  const isSummary = (line: string) => PASSED.test(line) || NUMBERS.test(line) || NOTHING.test(line);
  const ends = lines.flatMap((line, at) => (isSummary(line) && RULE.test(lines[at - 1] ?? "") ? [at] : []));
  const last = ends.at(-1);
  if (last === undefined) return undefined;
  const parts = ends.map((at, index) => ({
    counts: countsIn(lines[at] ?? ""),
    failures: mergeFailures(failuresIn(lines.slice(ends[index - 1] ?? 0, at - 1))),
  }));
  return report("catch2", parts, last + 1);
};

function countsIn(summary: string): TestCounts {
  const [, all] = PASSED.exec(summary) ?? [];
  if (all !== undefined) return countsOf({ passed: Number(all), failed: 0, skipped: 0 });
  const numbers = new Map([...summary.matchAll(NUMBER)].map(([, digits, state]) => [state, Number(digits)]));
  const of = (state: string) => numbers.get(state) ?? 0;
  return countsOf({
    passed: of("passed") + of("failed as expected"),
    failed: of("failed"),
    skipped: of("skipped"),
  });
}

/** Parses blocks: the names of test case and sections between two rules, then the failed assertions. */
function failuresIn(body: readonly string[]): readonly Failure[] {
  const starts = body.flatMap((line, at) => (DOTS.test(line) ? [at] : []));
  return starts.flatMap((at, index) => {
    const heading = headingAbove(body, at);
    if (heading === undefined) return [];
    const next = starts[index + 1];
    const below = body.slice(at + 1, next === undefined ? body.length : headingAbove(body, next)?.start);
    return assertionsIn(heading, below);
  });
}

interface Heading {
  readonly start: number;
  readonly name: string;
  readonly sections: readonly string[];
}

const LONGEST_HEADING = 40;

function headingAbove(body: readonly string[], dots: number): Heading | undefined {
  const end = dots - 2;
  if (!LINE.test(body[end] ?? "")) return undefined;
  let start = end - 1;
  while (start > end - LONGEST_HEADING && start >= 0 && !LINE.test(body[start] ?? "")) start--;
  if (!LINE.test(body[start] ?? "")) return undefined;
  const titles = body.slice(start + 1, end);
  const [first = ""] = titles;
  // Catch2 wraps long names: the second line is aligned with the first word, or with the text after a colon.
  const wrapped = first.indexOf(": ") + 2;
  const isName = (line: string) => /^\S/.test(line) || (wrapped > 1 && line.search(/\S/) === wrapped);
  const length = titles.findIndex((line) => !isName(line));
  const name = titles.slice(0, length < 0 ? undefined : length);
  return {
    start,
    name: name.map((line) => line.trim()).join(" "),
    sections: titles.slice(name.length).map((line) => line.trim()),
  };
}

function assertionsIn({ name, sections }: Heading, below: readonly string[]): readonly Failure[] {
  const starts = below.flatMap((line, at) => (FAILED.test(line) ? [at] : []));
  return starts.map((at, index) => {
    const text = below.slice(at, starts[index + 1] ?? below.length);
    const heading = sections.length > 0 ? [`in section: ${sections.join(" > ")}`] : [];
    return failure({
      id: name,
      message: [...heading, ...text].join("\n"),
      location: locate(text.slice(0, 1)),
    });
  });
}

// Parses doctest (C++). Counts test cases; all failed assertions of one case, in any subcase, make one failure.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { mergeFailures } from "./merge-failures.ts";
import { failure } from "./shared/failure.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const SUMMARY =
  /^\[doctest\] test cases: +\d{1,9} \| +(\d{1,9}) passed \| +(\d{1,9}) failed \| +(\d{1,9}) skipped$/;
const RULE = /^={79}$/;
const SUITE = /^TEST SUITE: (\S.*)$/;
const CASE = /^(?:TEST CASE|SCENARIO): +(\S.*)$|^ +(Scenario: \S.*)$/;
const FAILED = /^\S.*:\d+: (?:FATAL )?ERROR: /;

export const doctest: ReportParser = (_, lines) => {
  const ends = lines.flatMap((line, at) => (SUMMARY.test(line) ? [at] : []));
  const last = ends.at(-1);
  if (last === undefined) return undefined;
  const parts = ends.map((at, index) => {
    const [passed = 0, failed = 0, skipped = 0] = (SUMMARY.exec(lines[at] ?? "") ?? []).slice(1).map(Number);
    const failures = failuresIn(lines.slice(ends[index - 1] ?? 0, at));
    return { counts: countsOf({ passed, failed, skipped }), failures: mergeFailures(failures) };
  });
  return report("doctest", parts, last + 2);
};

function failuresIn(body: readonly string[]): readonly Failure[] {
  const rules = body.flatMap((line, at) => (RULE.test(line) ? [at] : []));
  return rules.flatMap((at, index) => {
    const block = body.slice(at + 1, rules[index + 1] ?? body.length);
    const heading = block.slice(0, 4);
    const name = heading.map((line) => CASE.exec(line)).find(Boolean);
    const suite = heading.map((line) => SUITE.exec(line)?.[1]).find(Boolean);
    const title = name?.[1] ?? name?.[2];
    if (title === undefined) return [];
    const id = suite === undefined ? title : `${suite} > ${title}`;
    const starts = block.flatMap((line, start) => (FAILED.test(line) ? [start] : []));
    return starts.map((start, order) => {
      const text = block.slice(start, starts[order + 1] ?? block.length);
      return failure({ id, message: text.join("\n"), location: locate(text.slice(0, 1)) });
    });
  });
}

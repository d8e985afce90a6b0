// Parses `make check` of automake: a line per test, then a block of counts per folder; adds up all folders. As in
// automake, expected failures count as skipped and unexpected passes as failed.

import type { Failure, TestCounts } from "#spec/verdict";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const SUMMARY = /^Testsuite summary for /;
const NUMBER = /^# (TOTAL|PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): +(\d{1,9})$/;
const RESULT = /^(FAIL|ERROR|XPASS): (\S.*)$/;
const LOG = /^See (\S+)$/;
const RULE = /^={10,}$/;

export const automake: ReportParser = (_, lines) => {
  const summaries = lines.flatMap((line, at) =>
    SUMMARY.test(line) && NUMBER.test(lines[at + 2] ?? "") ? [at] : [],
  );
  const last = summaries.at(-1);
  if (last === undefined) return undefined;
  const parts = summaries.map((at, index) => ({
    counts: countsIn(until(lines.slice(at + 2, at + 12), RULE)),
    failures: failuresIn(lines.slice(summaries[index - 1] ?? 0, at)),
  }));
  return report("automake", parts, last + 9);
};

/** The log files that automake names; they say why tests failed. */
export function automakeLogs(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, at) => (RULE.test(lines[at - 1] ?? "") && LOG.exec(line)?.[1]) || []);
}

function countsIn(block: readonly string[]): TestCounts {
  const numbers = new Map(
    block.flatMap((line) => {
      const [, name, digits] = NUMBER.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(digits)] as const];
    }),
  );
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (numbers.get(name) ?? 0), 0);
  return countsOf({ passed: of("PASS"), failed: of("FAIL", "XPASS", "ERROR"), skipped: of("SKIP", "XFAIL") });
}

function failuresIn(lines: readonly string[]): readonly Failure[] {
  return lines.flatMap((line) => {
    const [, kind, id] = RESULT.exec(line) ?? [];
    if (id === undefined) return [];
    const message = {
      FAIL: "failed",
      ERROR: "could not run",
      XPASS: "passed, although it is expected to fail",
    };
    return [failure({ id, message: message[kind as keyof typeof message] })];
  });
}

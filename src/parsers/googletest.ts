// Parses GoogleTest: every test with its output, then the counts and the failed tests again.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";
import { announcedSpans } from "./spans.ts";

const RUNNING = /^\[={10}\] Running \d{1,9} tests? from /;
const RAN = /^\[={10}\] (\d{1,9}) tests? from \d{1,9} test (?:suite|case)s? ran\./;
const NUMBER = /^\[ {2}(PASSED|SKIPPED|FAILED) {1,2}\] (\d{1,9}) tests?[.,]/;
const STARTED = /^\[ RUN {6}\] (\S+)$/;
const FAILED = /^\[ {2}FAILED {2}\] ([^\s,]+)(?:, where .*)? \(\d+ ms\)$/;
const PLACE = /^(\S.*\.\w+):(\d{1,9}): Failure$/;
const LISTED = /^\[ {2}(?:PASSED|SKIPPED|FAILED) {1,2}\] /;

export const googletest: ReportParser = (_, lines) => {
  const spans = announcedSpans(
    lines,
    (line) => RUNNING.test(line),
    (line) => RAN.test(line),
  );
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  const parts = spans.map(({ from, to }, index) => ({
    counts: countsIn(until(lines.slice(to + 1, spans[index + 1]?.from ?? lines.length), /^(?!\[ )/)),
    failures: failuresIn(lines.slice(from, to)),
  }));
  const listed = until(lines.slice(last.to + 1), /^(?!\[ )/).filter((line) => LISTED.test(line)).length;
  return report("googletest", parts, last.to + listed);
};

function countsIn(numbers: readonly string[]): TestCounts {
  const byName = new Map(
    numbers.flatMap((line) => {
      const [, state, digits] = NUMBER.exec(line) ?? [];
      return state === undefined ? [] : [[state, Number(digits)] as const];
    }),
  );
  const of = (state: string) => byName.get(state) ?? 0;
  return countsOf({ passed: of("PASSED"), failed: of("FAILED"), skipped: of("SKIPPED") });
}

function failuresIn(body: readonly string[]): readonly Failure[] {
  const failures: Failure[] = [];
  let output: string[] = [];
  for (const line of body) {
    const [, id] = FAILED.exec(line) ?? [];
    if (STARTED.test(line)) output = [];
    else if (id !== undefined) failures.push(toFailure(id, output));
    else output.push(line);
  }
  return failures;
}

function toFailure(id: string, output: readonly string[]): Failure {
  const first = output.findIndex((line) => / Failure$/.test(line));
  const places = output.filter((line) => PLACE.test(line));
  return failure({ id, message: output.slice(Math.max(0, first)).join("\n"), location: locate(places) });
}

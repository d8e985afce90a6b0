// Parses PHPUnit's console output. Incomplete tests count as skipped, and so do risky ones, which assert nothing.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { until } from "./shared/lines.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";
import { announcedSpans, type Span } from "./spans.ts";

const ANNOUNCEMENT = /^PHPUnit \d+\.\d\S* by Sebastian Bergmann/;
const FINE = /^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)$/;
const NUMBERS = /^Tests: \d{1,9}, Assertions: \d{1,9}(?:, [A-Z][A-Za-z ]{1,30}: \d{1,9})*\.$/;
const NOTHING = /^No tests executed!$/;
const SECTION = /^There (?:was|were) \d{1,9} (.{1,60}):$/;
const FAILING = /^(?:PHPUnit )?(?:error|failure)s?$/;
const PLACE = /^\S.*\.(?:php|phpt):\d+$/;
const DATA = /( with data set (?:#\d+|".*?")) \(.*\)$/;

export const phpunit: ReportParser = (_, lines) => {
  const spans = announcedSpans(
    lines,
    (line) => ANNOUNCEMENT.test(line),
    (line) => FINE.test(line) || NUMBERS.test(line) || NOTHING.test(line),
  );
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  return report(
    "phpunit",
    spans.map((span) => runPart(lines, span)),
    last.to,
  );
};

function runPart(lines: readonly string[], span: Span): RunPart {
  const body = lines.slice(span.from, span.to);
  return {
    counts: countsIn(lines[span.to] ?? ""),
    failures: [...failuresInList(body), ...failuresInTree(body)],
  };
}

function countsIn(summary: string): TestCounts {
  const [, fine] = FINE.exec(summary) ?? [];
  if (fine !== undefined) return countsOf({ passed: Number(fine), failed: 0, skipped: 0 });
  const numbers = new Map(
    summary
      .replace(/\.$/, "")
      .split(", ")
      .map((item) => item.split(": "))
      .map(([name = "", digits = "0"]) => [name, Number(digits)]),
  );
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (numbers.get(name) ?? 0), 0);
  const failed = of("Errors", "Failures");
  const tests = Math.max(of("Tests"), failed);
  const skipped = Math.min(of("Skipped", "Incomplete", "Risky"), tests - failed);
  return countsOf({ passed: tests - failed - skipped, failed, skipped });
}

function failuresInList(body: readonly string[]): readonly Failure[] {
  const failures: Failure[] = [];
  let failing = false;
  let start = -1;
  const flush = (end: number) => {
    if (start >= 0) failures.push(toFailure(body[start] ?? "", body.slice(start + 1, end)));
    start = -1;
  };
  for (const [at, line] of body.entries()) {
    const [, section] = SECTION.exec(line) ?? [];
    if (section !== undefined || line === "--") {
      flush(at);
      failing = section !== undefined && FAILING.test(section);
    } else if (failing && /^\d{1,9}\) \S/.test(line)) {
      flush(at);
      start = at;
    }
  }
  flush(body.length);
  return failures;
}

function toFailure(title: string, error: readonly string[]): Failure {
  const text = until(error, PLACE);
  return failure({
    // Drops the values of a data set, which may be anything; its name is enough.
    id: title.slice(title.indexOf(") ") + 2).replace(DATA, "$1"),
    message: until(text, /^--- Expected$/).join("\n"),
    location: locate(error.filter((line) => PLACE.test(line))),
    ...difference(text),
  });
}

// With --testdox, a failure is below its name, behind bars, and not listed again.
function failuresInTree(body: readonly string[]): readonly Failure[] {
  const failures: Failure[] = [];
  let group = "";
  for (const [at, line] of body.entries()) {
    if (/^\S/.test(line) && /^ [✔✘↩∅☢⚠] /.test(body[at + 1] ?? "")) group = line;
    if (!line.startsWith(" ✘ ")) continue;
    const bars = until(body.slice(at + 1, at + 200), /^(?! {3}[│┐├┴])/);
    const error = bars.map((each) => each.slice(5)).filter((each, index) => index > 0 || each !== "");
    failures.push(toFailure(`1) ${group} > ${line.slice(3)}`, error));
  }
  return failures;
}

// Parses Jasmine's console reporter: the failures with message and stack, then the counts.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const SUMMARY = /^(\d{1,9}) specs?, (\d{1,9}) failures?(?:, (\d{1,9}) pending specs?)?$/;
const FINISHED = /^Finished in [\d.]+ seconds?$/;
const TITLE = /^\d{1,9}\) (\S.*)$/;
const VALUES = /^Expected (.+) to (?:be|equal) (.+)\.$/;

export const jasmine: ReportParser = (_, lines) => {
  const at = lines.findLastIndex(
    (line, index) => SUMMARY.test(line) && FINISHED.test(lines[index + 1] ?? ""),
  );
  if (at < 0) return undefined;
  const [specs = 0, failed = 0, pending = 0] = (SUMMARY.exec(lines[at] ?? "") ?? [])
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const start = lines.lastIndexOf("Failures:", at);
  const failures =
    start < 0 ? [] : failuresIn(until(lines.slice(start + 1, at), /^(?:Suite errors|Pending):/));
  const passed = Math.max(0, specs - failed - pending);
  return report("jasmine", [{ counts: countsOf({ passed, failed, skipped: pending }), failures }], at + 1);
};

function failuresIn(lines: readonly string[]): readonly Failure[] {
  const starts = lines.flatMap((line, at) =>
    TITLE.test(line) && lines[at + 1] === "  Message:" ? [at] : [],
  );
  return starts.map((at, index) => {
    const [, id = ""] = TITLE.exec(lines[at] ?? "") ?? [];
    const entry = lines.slice(at + 2, starts[index + 1] ?? lines.length);
    const message = dedent(until(entry, /^ {2}Stack:$/)).trim();
    const [, actual, expected] = VALUES.exec(message) ?? [];
    const frames = entry.filter((line) => /^ {4,}at /.test(line));
    return failure({ id, message, location: locate(frames), expected, actual });
  });
}

// Parses Unity, the C test framework: a line per test, then the counts, once per program.

import { failure } from "./shared/failure.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";

const SUMMARY = /^(\d{1,9}) Tests (\d{1,9}) Failures (\d{1,9}) Ignored\s*$/;
const FAILED = /^(\S.*):(\d{1,9}):(\w+):FAIL(?:: ?(.*))?$/;

export const unity: ReportParser = (_, lines) => {
  const ends = lines.flatMap((line, at) => (SUMMARY.test(line) ? [at] : []));
  const parts = ends.map((end, index) => partIn(lines.slice((ends[index - 1] ?? -1) + 1, end + 1)));
  return parts.length === 0 ? undefined : report("unity", parts, ends.at(-1) ?? 0);
};

/** The last line is the summary. */
function partIn(lines: readonly string[]): RunPart {
  const [, total = 0, failed = 0, ignored = 0] = (SUMMARY.exec(lines.at(-1) ?? "") ?? []).map(Number);
  const failures = lines.flatMap((line) => {
    const [, file, row, id, message = ""] = FAILED.exec(line) ?? [];
    return id === undefined ? [] : [failure({ id, message, location: `${file}:${row}` })];
  });
  return {
    counts: countsOf({ passed: Math.max(0, total - failed - ignored), failed, skipped: ignored }),
    failures,
  };
}

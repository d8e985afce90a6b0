// Parses RSpec's console formatters: the failures, then the counts. No line starts a run, so the last one counts.

import type { Failure } from "#spec/verdict";
import { locate } from "#text/location";
import { difference } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";

const FINISHED = /^Finished in \d/;
const SUMMARY =
  /^(\d{1,9}) examples?, (\d{1,9}) failures?(?:, (\d{1,9}) pending)?(?:, (\d{1,9}) errors? occurred outside of examples)?$/;
const BROKEN = /^An error occurred (?:while loading (\S+?)\.?|in .+)(?: - Did you mean\?)?$/;
const LISTED = /^rspec \S/;
const FRAME = /^\s*# \S/;
/** Other file names that RSpec suggests when a file does not load. */
const OFFERED = /^ {16,}rspec \.?\S/;
const UNPARSED = /^\s*(?:--> )?(\S{1,400}\.(?:rb|ru|rake)):(\d{1,9}): /;

export const rspec: ReportParser = (_, lines) => {
  // Requires the line above too, because a test may print such counts.
  const at = lines.findLastIndex(
    (line, index) => SUMMARY.test(line) && FINISHED.test(lines[index - 1] ?? ""),
  );
  if (at < 0) return undefined;
  const [examples = 0, failed = 0, pending = 0, errors = 0] = (SUMMARY.exec(lines[at] ?? "") ?? [])
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  const body = lines.slice(0, at);
  const failures = [...failuresIn(body), ...(errors > 0 ? brokenIn(body) : [])];
  const passed = Math.max(0, examples - failed - pending);
  const counts = countsOf({ passed, failed: failed + errors, skipped: pending, extra: errors });
  return report("rspec", [{ counts, failures }], endOf(lines, at));
};

// The failed examples are listed again below the counts.
function endOf(lines: readonly string[], summary: number): number {
  const below = lines.slice(summary + 1).findLastIndex((line) => LISTED.test(line));
  return summary + 1 + below;
}

// Entries are numbered from 1, so a line that only looks like one has the wrong number.
function failuresIn(body: readonly string[]): readonly Failure[] {
  const start = body.lastIndexOf("Failures:");
  if (start < 0) return [];
  const starts: number[] = [];
  for (let at = start + 1; at < body.length; at++)
    if (body[at]?.startsWith(`  ${starts.length + 1}) `)) starts.push(at);
  return starts.map((at, index) => {
    const title = body[at] ?? "";
    const error = until(body.slice(at + 1, starts[index + 1] ?? body.length), FINISHED);
    return toFailure(title.slice(title.indexOf(") ") + 2), error);
  });
}

function brokenIn(body: readonly string[]): readonly Failure[] {
  const starts = body.flatMap((line, at) => (BROKEN.test(line) ? [at] : []));
  return starts.map((at, index) => {
    const [title = "", file] = BROKEN.exec(body[at] ?? "") ?? [];
    const error = until(body.slice(at + 1, starts[index + 1] ?? body.length), FINISHED);
    return toFailure(file?.replace(/^\.\//, "") ?? title, error);
  });
}

function toFailure(id: string, error: readonly string[]): Failure {
  const text = until(error, FRAME);
  return failure({
    id,
    message: dedent(text.filter((line) => line.trim() !== "" && !OFFERED.test(line))),
    location: unparsedIn(text) ?? locate(error.filter((line) => FRAME.test(line)))?.replace(/^\.\//, ""),
    ...difference(text),
  });
}

/** Location of a Ruby syntax error; the stack only shows who required the file. */
function unparsedIn(text: readonly string[]): string | undefined {
  const at = text.findIndex((line) => line.trim() === "SyntaxError:");
  const [, file, line] = at < 0 ? [] : (UNPARSED.exec(text[at + 1] ?? "") ?? []);
  return file && `${file}:${line}`;
}

// Parses mocha's console reporters (spec, dot and others with the same ending): the counts, then the failures.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { linesWithSign } from "./difference.ts";
import { failure } from "./shared/failure.ts";
import { dedent, until } from "./shared/lines.ts";
import { countsOf, type ReportParser, report } from "./shared/report.ts";
import { talliedSpans } from "./spans.ts";

const PASSING = /^ {2}(\d{1,9}) passing(?: \([^()]{1,20}\))?$/;
const PASSED = /^\s{2,200}[✔✓√] \S/;
const HOOK = /^"(?:before|after) (?:all|each)" hook/;
const DIFF = /^\s*\+ expected - actual$/;
const FRAME = /^ {6}at \S/;

export function isHook(title: string): boolean {
  return HOOK.test(title);
}

export const mocha: ReportParser = (_, lines) => {
  const spans = talliedSpans(
    lines,
    (line, at) => (PASSED.test(line) ? String(at) : undefined),
    (line) => (PASSING.test(line) ? Number(PASSING.exec(line)?.[1]) : undefined),
  );
  const lists = spans.map(({ to }, index) => entriesIn(lines, to, spans[index + 1]?.to ?? lines.length));
  const last = lists.at(-1);
  if (last === undefined) return undefined;
  const parts = spans.map(({ to }, index) => {
    const entries = lists[index]?.entries ?? [];
    const hooks = entries.filter(({ titles }) => isHook(titles.at(-1) ?? "")).length;
    return { counts: countsAt(lines, to, hooks), failures: entries.map(toFailure) };
  });
  return report("mocha", parts, last.endsAt);
};

function countsAt(lines: readonly string[], at: number, hooks: number): TestCounts {
  const of = (state: string) => {
    const line = lines.slice(at + 1, at + 3).find((each) => each.endsWith(` ${state}`));
    return Number(/^ {2}(\d{1,9}) \w+$/.exec(line ?? "")?.[1] ?? 0);
  };
  const failed = of("failing");
  return countsOf({
    passed: Number(PASSING.exec(lines[at] ?? "")?.[1]),
    failed,
    skipped: of("pending"),
    extra: Math.min(hooks, failed),
  });
}

interface Entry {
  readonly titles: readonly string[];
  readonly error: readonly string[];
}

// Entries are numbered from 1, so a line that only looks like one has the wrong number.
function entriesIn(lines: readonly string[], from: number, to: number): { entries: Entry[]; endsAt: number } {
  const starts: number[] = [];
  for (let at = from + 1; at < to; at++)
    if (lines[at]?.startsWith(`  ${starts.length + 1}) `)) starts.push(at);
  let endsAt = from;
  const entries = starts.map((start, index) => {
    const body = lines.slice(start, starts[index + 1] ?? to);
    const titles = titlesIn(body);
    const frames = body.findLastIndex((line) => FRAME.test(line)) + 1;
    const error = frames > 0 ? body.slice(titles.length, frames) : until(body.slice(titles.length), /^\S/);
    endsAt = start + titles.length + error.length - 1;
    return { titles, error };
  });
  return { entries, endsAt };
}

// Each title is indented by two more spaces than the one above; the error is not.
function titlesIn([first = "", ...rest]: readonly string[]): readonly string[] {
  const titles = [first.slice(first.indexOf(") ") + 2)];
  for (const line of rest) {
    const indent = 5 + 2 * titles.length;
    if (line.length - line.trimStart().length !== indent) break;
    titles.push(line.trim());
  }
  return [...titles.slice(0, -1), titles.at(-1)?.replace(/:$/, "") ?? ""];
}

function toFailure({ titles, error }: Entry): Failure {
  const at = error.findIndex((line) => DIFF.test(line));
  const message = until(at < 0 ? error : error.slice(0, at), FRAME);
  const diff = at < 0 ? [] : until(error.slice(at + 1), FRAME);
  return failure({
    id: titles.join(" > "),
    message: dedent(message),
    location: locate(error.filter((line) => FRAME.test(line))),
    ...(at >= 0 && { expected: linesWithSign(diff, "      +"), actual: linesWithSign(diff, "      -") }),
  });
}

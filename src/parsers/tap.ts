// Parses TAP 13 and 14. Counts only leaves, because parents repeat them; prefers the producer's own totals.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { linesWithSign } from "./difference.ts";
import { failure, isFile } from "./shared/failure.ts";
import { countsOf, type ReportParser, type RunPart, report } from "./shared/report.ts";
import { isVersion, type TapPoint, type TapStream, tapStream } from "./tap-stream.ts";

const NODE_FILE_FAILED = "test failed";
/** `--- expected`, `+++ actual`, and the range. */
const DIFF_HEADING = 3;
const BATS_PLACE = /\(.*in test file (\S.*), line (\d{1,9})\)/;

export const tap: ReportParser = (_, lines) => {
  const starts = [0, ...lines.flatMap((line, at) => (at > 0 && isVersion(line) ? [at] : []))];
  const streams = starts
    .map((start, index) => tapStream(lines, start, starts[index + 1] ?? lines.length))
    .filter(isTap);
  const last = streams.at(-1);
  return last === undefined ? undefined : report("tap", streams.map(runPart), last.endsAt);
};

// Requires the version or the plan, because any program may print "ok 1".
function isTap(stream: TapStream): boolean {
  if (stream.hasVersion)
    return stream.points.length > 0 || stream.plan !== undefined || stream.bailOut !== undefined;
  return stream.points.length > 0 && stream.plan !== undefined;
}

function runPart(stream: TapStream): RunPart {
  const leaves = stream.points.flatMap((point) => leavesOf(point, []));
  const undone = [...missing(stream), ...bailedOut(stream)];
  const counts = totals(stream) ?? tally(leaves.map(({ point }) => point));
  const failed = leaves.filter(({ point }) => hasFailed(point));
  const failures = failed.map(toFailure);
  const whole = failed.filter(
    ({ point }, at) => point.children.length > 0 || isProgram(point) || isFile(failures[at] as Failure),
  );
  const extra = Math.min(counts.failed, whole.length) + undone.length;
  return {
    counts: countsOf({
      passed: counts.passed,
      failed: counts.failed + undone.length,
      skipped: counts.skipped,
      extra,
    }),
    failures: [...failures, ...undone],
  };
}

interface Leaf {
  readonly point: TapPoint;
  readonly path: readonly string[];
}

// A failed parent without a failed subtest is a failure itself.
function leavesOf(point: TapPoint, parents: readonly string[]): readonly Leaf[] {
  const path = [...parents, point.name];
  const below = point.children.flatMap((child) => leavesOf(child, path));
  const explained = below.some((leaf) => hasFailed(leaf.point));
  return below.length === 0 || (hasFailed(point) && !explained) ? [...below, { point, path }] : below;
}

function hasFailed(point: TapPoint): boolean {
  return !point.ok && !point.skipped;
}

/** A test file of node-tap that failed before its first test. */
function isProgram({ fields }: TapPoint): boolean {
  return fields.has("exitCode");
}

function tally(points: readonly TapPoint[]): TestCounts {
  const skipped = points.filter((point) => point.skipped).length;
  const failed = points.filter(hasFailed).length;
  return countsOf({ passed: points.length - skipped - failed, failed, skipped });
}

function totals({ totals }: TapStream): TestCounts | undefined {
  const [tests, passed, failed] = ["tests", "pass", "fail"].map((name) => totals.get(name));
  if (tests === undefined || passed === undefined || failed === undefined) return undefined;
  const broken = failed + (totals.get("cancelled") ?? 0);
  return countsOf({ passed, failed: broken, skipped: Math.max(0, tests - passed - broken) });
}

// Planned tests that never ran. Without the version line, the beginning may be cut off, so nothing counts as missing.
function missing({ hasVersion, plan, points }: TapStream): readonly Failure[] {
  const count = (plan ?? 0) - points.filter((point) => point.indent === 0).length;
  if (!hasVersion || count <= 0) return [];
  return [failure({ message: `${plan} tests were planned, ${count} of them did not run` })];
}

function bailedOut({ bailOut }: TapStream): readonly Failure[] {
  return bailOut === undefined ? [] : [failure({ message: `Bail out! ${bailOut}` })];
}

function toFailure({ point: { fields, comments, before }, path }: Leaf): Failure {
  const places = ["stack", "at", "location"].flatMap((name) => fields.get(name)?.split("\n") ?? []);
  const text = fields.get("message") ?? fields.get("error") ?? comments.join("\n");
  const diff = fields.get("diff")?.split("\n").slice(DIFF_HEADING);
  return failure({
    id: path.join(" > "),
    message: text === NODE_FILE_FAILED ? (printedBefore(before) ?? text) : text,
    location: locate(places) ?? batsLocation(comments),
    expected: fields.get("expected") ?? (diff && linesWithSign(diff, "-")),
    actual: fields.get("actual") ?? (diff && linesWithSign(diff, "+")),
  });
}

/** Output of a file for which node:test reports only that it failed, without stack frames. */
function printedBefore(comments: readonly string[]): string | undefined {
  const lines = comments.filter((line) => !/^(?: {4}at |Subtest: |Node\.js v)/.test(line));
  return lines.join("\n").trim() || undefined;
}

function batsLocation(comments: readonly string[]): string | undefined {
  const [, file, line] = comments.map((each) => BATS_PLACE.exec(each)).find(Boolean) ?? [];
  return file === undefined ? undefined : `${file}:${line}`;
}

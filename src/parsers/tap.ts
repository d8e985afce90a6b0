// TAP 13 and 14. Only leaves count, a parent repeats them; unless the producer adds up its numbers itself.

import type { Failure, TestCounts } from "#spec/verdict";
import { locate } from "#text/location";
import { signed } from "./difference.ts";
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

// A line like "ok 1" can be anyone's: it takes the version or the plan to make it TAP.
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
  const failures = failed.map(described);
  const whole = failed.filter(
    ({ point }, at) => point.children.length > 0 || isProgram(point) || isFile(failures[at] as Failure),
  );
  const extra = Math.min(counts.failed, whole.length) + undone.length;
  return {
    counts: countsOf(counts.passed, counts.failed + undone.length, counts.skipped, extra),
    failures: [...failures, ...undone],
  };
}

interface Leaf {
  readonly point: TapPoint;
  readonly path: readonly string[];
}

// A parent that failed although none of its subtests did is a failure of its own.
function leavesOf(point: TapPoint, parents: readonly string[]): readonly Leaf[] {
  const path = [...parents, point.name];
  const below = point.children.flatMap((child) => leavesOf(child, path));
  const explained = below.some((leaf) => hasFailed(leaf.point));
  return below.length === 0 || (hasFailed(point) && !explained) ? [...below, { point, path }] : below;
}

function hasFailed(point: TapPoint): boolean {
  return !point.ok && !point.skipped;
}

/** node-tap: a test file that failed before it had a test. */
function isProgram({ fields }: TapPoint): boolean {
  return fields.has("exitCode");
}

function tally(points: readonly TapPoint[]): TestCounts {
  const skipped = points.filter((point) => point.skipped).length;
  const failed = points.filter(hasFailed).length;
  return countsOf(points.length - skipped - failed, failed, skipped);
}

function totals({ totals }: TapStream): TestCounts | undefined {
  const [tests, passed, failed] = ["tests", "pass", "fail"].map((name) => totals.get(name));
  if (tests === undefined || passed === undefined || failed === undefined) return undefined;
  const broken = failed + (totals.get("cancelled") ?? 0);
  return countsOf(passed, broken, Math.max(0, tests - passed - broken));
}

// Tests that were planned and never ran. Without the version line the beginning may be cut off: nothing is missing then.
function missing({ hasVersion, plan, points }: TapStream): readonly Failure[] {
  const count = (plan ?? 0) - points.filter((point) => point.indent === 0).length;
  if (!hasVersion || count <= 0) return [];
  return [failure({ message: `${plan} tests were planned, ${count} of them did not run` })];
}

function bailedOut({ bailOut }: TapStream): readonly Failure[] {
  return bailOut === undefined ? [] : [failure({ message: `Bail out! ${bailOut}` })];
}

function described({ point: { fields, comments, before }, path }: Leaf): Failure {
  const places = ["stack", "at", "location"].flatMap((name) => fields.get(name)?.split("\n") ?? []);
  const told = fields.get("message") ?? fields.get("error") ?? comments.join("\n");
  const diff = fields.get("diff")?.split("\n").slice(DIFF_HEADING);
  return failure({
    id: path.join(" > "),
    message: told === NODE_FILE_FAILED ? (printedBefore(before) ?? told) : told,
    location: locate(places) ?? batsPlace(comments),
    expected: fields.get("expected") ?? (diff && signed(diff, "-")),
    actual: fields.get("actual") ?? (diff && signed(diff, "+")),
  });
}

/** What a file printed before node:test says no more than that it failed: from its error on, without frames. */
function printedBefore(comments: readonly string[]): string | undefined {
  const lines = comments.filter((line) => !/^(?: {4}at |Subtest: |Node\.js v)/.test(line));
  return lines.join("\n").trim() || undefined;
}

function batsPlace(comments: readonly string[]): string | undefined {
  const [, file, line] = comments.map((each) => BATS_PLACE.exec(each)).find(Boolean) ?? [];
  return file === undefined ? undefined : `${file}:${line}`;
}

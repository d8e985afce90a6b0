// The first error of a verdict: what it says, and the place in the files that it names.

import type { Failure, Verdict } from "#spec/verdict";
import { isErrorLine, linesWithoutNotices } from "#text/error-lines";
import { locate } from "#text/location";
import { isNoise } from "./noise.ts";

export interface FirstError {
  /** The test that failed, where it has a name. */
  readonly id?: string;
  readonly message: string;
  /** `path:line` */
  readonly at?: string;
}

const LINES_AFTER = 8;
const LINES_BEFORE = 8;

/** `a.ts(3,5)` and `File "a.py", line 3` as `a.ts:3` and `a.py:3`. */
function inOneForm(line: string): string {
  return line.replace(/\((\d{1,9}),\d{1,9}\)/g, ":$1 ").replace(/", line (\d{1,9})/g, ":$1 ");
}

/** In the line itself and below it, where stacks are; else above it, where the place closest to it is its own. */
function placeNear(lines: readonly string[], at: number): string | undefined {
  const below = lines.slice(at, at + 1 + LINES_AFTER).map(inOneForm);
  const above = lines.slice(Math.max(0, at - LINES_BEFORE), at).map(inOneForm);
  return locate(below) ?? locate(above.reverse());
}

/** Places are told from the workspace on. */
function inside(dir: string, place: string): string {
  return place.startsWith(`${dir}/`) ? place.slice(dir.length + 1) : place;
}

function inOutput(output: string, dir: string): FirstError | undefined {
  const lines = linesWithoutNotices(output);
  const at = lines.findIndex((line) => isErrorLine(line) && !isNoise(line));
  if (at < 0) return undefined;
  const place = placeNear(lines, at);
  return { message: (lines[at] ?? "").trim(), ...(place && { at: inside(dir, place) }) };
}

function ofFailure({ id, message, location }: Failure): FirstError {
  return { ...(id !== undefined && { id }), message, ...(location && { at: location }) };
}

/** The complaint that a failure which is no test begins with is the verdict's summary, and no error of its own. */
function withoutSummary(message: string, summary: string): string {
  return message.startsWith(summary) ? message.slice(summary.length) : message;
}

/** A test that failed, or a place that a gate found, says more than any line of the output. */
export function findError({ failures, evidence, summary }: Verdict, dir: string): FirstError | undefined {
  const known = failures.find(({ id, location }) => id !== undefined || location !== undefined);
  if (known) return ofFailure(known);
  return (
    inOutput(withoutSummary(failures[0]?.message ?? "", summary), dir) ??
    inOutput(evidence.stderr ?? "", dir) ??
    inOutput(evidence.stdout ?? "", dir)
  );
}

/** The first error, or what the gate said in its place. */
export function firstError(verdict: Verdict, dir: string): FirstError | undefined {
  const [first] = verdict.failures;
  return findError(verdict, dir) ?? (first && ofFailure(first));
}

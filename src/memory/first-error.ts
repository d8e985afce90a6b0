// Finds the first error of a verdict: its message and its location.

import type { Failure, Verdict } from "#spec/verdict";
import { isErrorLine, linesWithoutNotices } from "#text/error-lines";
import { locate } from "#text/location";
import { isNoise } from "./noise.ts";

export interface FirstError {
  /** The failed test, if it has a name. */
  readonly id?: string;
  readonly message: string;
  /** `path:line` */
  readonly at?: string;
}

const LINES_AFTER = 8;
const LINES_BEFORE = 8;

/** Normalizes `a.ts(3,5)` and `File "a.py", line 3` to `a.ts:3` and `a.py:3`. */
function normalizeLocation(line: string): string {
  return line.replace(/\((\d{1,9}),\d{1,9}\)/g, ":$1 ").replace(/", line (\d{1,9})/g, ":$1 ");
}

/** The location in or below the line, where stacks are; otherwise the closest one above. */
function locationNear(lines: readonly string[], at: number): string | undefined {
  const below = lines.slice(at, at + 1 + LINES_AFTER).map(normalizeLocation);
  const above = lines.slice(Math.max(0, at - LINES_BEFORE), at).map(normalizeLocation);
  return locate(below) ?? locate(above.reverse());
}

/** Makes a location relative to the workspace. */
function relativeTo(dir: string, location: string): string {
  return location.startsWith(`${dir}/`) ? location.slice(dir.length + 1) : location;
}

function findInOutput(output: string, dir: string): FirstError | undefined {
  const lines = linesWithoutNotices(output);
  const at = lines.findIndex((line) => isErrorLine(line) && !isNoise(line));
  if (at < 0) return undefined;
  const location = locationNear(lines, at);
  return { message: (lines[at] ?? "").trim(), ...(location && { at: relativeTo(dir, location) }) };
}

function fromFailure({ id, message, location }: Failure): FirstError {
  return { ...(id !== undefined && { id }), message, ...(location && { at: location }) };
}

/** Removes the verdict's summary, which is not an error, from the start of a message. */
function withoutSummary(message: string, summary: string): string {
  return message.startsWith(summary) ? message.slice(summary.length) : message;
}

/** Prefers a failed test or a location from the gate to any line of output. */
export function findError({ failures, evidence, summary }: Verdict, dir: string): FirstError | undefined {
  const known = failures.find(({ id, location }) => id !== undefined || location !== undefined);
  if (known) return fromFailure(known);
  return (
    findInOutput(withoutSummary(failures[0]?.message ?? "", summary), dir) ??
    findInOutput(evidence.stderr ?? "", dir) ??
    findInOutput(evidence.stdout ?? "", dir)
  );
}

/** The first error, or the first failure of the gate. */
export function firstError(verdict: Verdict, dir: string): FirstError | undefined {
  const [first] = verdict.failures;
  return findError(verdict, dir) ?? (first && fromFailure(first));
}

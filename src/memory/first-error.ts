// The first error of a verdict: what it says, and the place in the files that it names.
import { isErrorLine, linesWithoutNotices } from "#spec/error-lines";
import { locate } from "#spec/location";
import type { Failure, Verdict } from "#spec/verdict";

export interface FirstError {
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
  const at = lines.findIndex(isErrorLine);
  if (at < 0) return undefined;
  const place = placeNear(lines, at);
  return { message: (lines[at] ?? "").trim(), ...(place && { at: inside(dir, place) }) };
}

function ofFailure({ message, location }: Failure): FirstError {
  return { message, ...(location && { at: location }) };
}

/** A test that failed, or a place that a gate found, says more than any line of the output. */
export function firstError({ failures, summary, evidence }: Verdict, dir: string): FirstError | undefined {
  const known = failures.find(({ id, location }) => id !== undefined || location !== undefined);
  if (known) return ofFailure(known);
  const [first] = failures;
  // The failure holds the errors of the whole output, the evidence only its end.
  const excerpt = first?.message.startsWith(`${summary}\n`) ? first.message.slice(summary.length + 1) : "";
  return (
    inOutput(excerpt, dir) ??
    inOutput(evidence.stderr ?? "", dir) ??
    inOutput(evidence.stdout ?? "", dir) ??
    (first && ofFailure(first))
  );
}

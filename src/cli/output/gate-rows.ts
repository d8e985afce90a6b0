// Log lines of a verdict: the gate's line, and its failures below.

import type { RunEvent } from "#spec/event";
import type { Run } from "#spec/run";
import { type Failure, isFlaky, type Verdict, type VerdictStatus } from "#spec/verdict";
import { mostTellingLine } from "#text/error-lines";
import { detailBeyondId } from "#text/failure-detail";
import { shortenNames } from "#text/shorten-names";
import { duration, mark, pad, testFraction } from "./format.ts";
import { firstLine, oneLine, type Part, type Span, tone } from "./spans.ts";
import type { Style, Tone } from "./style.ts";
import { width } from "./width.ts";
import { iterationName } from "./words.ts";

const FAILURES_SHOWN = 5;
const SHORTEST_NAME = 20;

const TONES: Readonly<Record<VerdictStatus, Tone>> = {
  passed: "good",
  failed: "bad",
  errored: "bad",
  waiting: "warn",
  skipped: "faint",
};

export const marked = (status: VerdictStatus, style: Style): Span =>
  tone(TONES[status], mark(status, style.glyphs));

/** Width of the longest gate name, at most `most`. */
export const nameWidth = (names: readonly string[], most: number): number =>
  Math.min(most, Math.max(0, ...names.map((name) => width(oneLine(name)))));

/** The most telling line of a failure that is not a test: its message is the summary followed by raw output. */
function errorLine(message: string, summary: string): string {
  const output = message.startsWith(summary) ? message.slice(summary.length) : message;
  return mostTellingLine(output);
}

/** A failure in one line: expected and actual value if there are any, else the message. */
function finding({ message, expected, actual }: Failure): string {
  const compared = expected !== undefined && actual !== undefined;
  return compared
    ? `expected ${oneLine(expected).trim()}, got ${oneLine(actual).trim()}`
    : firstLine(message);
}

/** A diagnostic's id consists of its file and message, so location and message are enough to print. */
function isDiagnostic(failure: Failure): boolean {
  return failure.location !== undefined && detailBeyondId(failure) !== failure.message;
}

function failureRow(failure: Failure, name: string, summary: string): Part[] | undefined {
  const location = failure.location ? [tone("faint", `  ${failure.location}`)] : [];
  if (isDiagnostic(failure)) return ["      ", firstLine(failure.message), ...location];
  if (failure.id !== undefined) return ["      ", name, ...location, tone("faint", `  ${finding(failure)}`)];
  const message = errorLine(failure.message, summary);
  return message === "" && location.length === 0 ? undefined : ["      ", message, ...location];
}

/** Shortens long names to make space for location and message; shortened names stay distinct. */
function failureRows(verdict: Verdict, style: Style, columns: number): Part[][] {
  const first = verdict.failures.slice(0, FAILURES_SHOWN);
  const more = Math.max(verdict.tests?.failed ?? 0, verdict.failures.length) - first.length;
  const summary = firstLine(verdict.summary);
  const names = shortenNames(
    first.map(({ id }) => oneLine(id ?? "")),
    Math.max(SHORTEST_NAME, Math.floor(columns / 2)),
    style.glyphs.ellipsis,
  );
  const shown = first.map((failure, at) => failureRow(failure, names[at] ?? "", summary));
  const rows = shown.filter((row) => row !== undefined);
  return more > 0 ? [...rows, [tone("faint", `      +${more} more`)]] : rows;
}

/** Lists every attempt of a repeated gate if their results differ. */
function attemptRows({ attempts = [] }: Verdict, style: Style): Part[][] {
  if (new Set(attempts.map(({ status }) => status)).size < 2) return [];
  return attempts.map(({ status, summary }, index) => [
    "      ",
    marked(status, style),
    tone("faint", ` run ${index + 1}  ${firstLine(summary)}`),
  ]);
}

export function gateRows(
  run: Run,
  { gate, verdict }: Pick<Extract<RunEvent, { type: "gate.judged" }>, "gate" | "verdict">,
  style: Style,
  columns: number,
): Part[][] {
  const names = nameWidth(
    run.task.gates.map((each) => each.name),
    24,
  );
  const tests = verdict.tests ? `${pad(testFraction(verdict.tests), 5)}  ` : "";
  const notes = [
    ...(verdict.durationMs >= 1000 ? [duration(verdict.durationMs)] : []),
    ...(verdict.carriedFrom === undefined ? [] : [`unchanged since ${iterationName(verdict.carriedFrom)}`]),
  ].join("  ");
  const summary = firstLine(verdict.summary);
  const line = ["  ", marked(verdict.status, style), " ", pad(oneLine(gate), names), "  ", tests];
  const flaky = isFlaky(verdict) ? [tone("warn", `${style.glyphs.warning} FLAKY  `)] : [];
  const rest = [...flaky, summary, summary && notes ? "  " : "", tone("faint", notes)];
  return [[...line, ...rest], ...attemptRows(verdict, style), ...failureRows(verdict, style, columns)];
}

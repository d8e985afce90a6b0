// A verdict in the log: the gate's line, and under it what failed.

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

/** Wide enough for the names of all gates, within reason. */
export const nameWidth = (names: readonly string[], most: number): number =>
  Math.min(most, Math.max(0, ...names.map((name) => width(oneLine(name)))));

/** A failure that is no test repeats the summary and goes on with output, of which the first error tells most. */
function errorLine(message: string, summary: string): string {
  const output = message.startsWith(summary) ? message.slice(summary.length) : message;
  return mostTellingLine(output);
}

/** What a test found, in one line: the two values where it compared some. */
function finding({ message, expected, actual }: Failure): string {
  const compared = expected !== undefined && actual !== undefined;
  return compared
    ? `expected ${oneLine(expected).trim()}, got ${oneLine(actual).trim()}`
    : firstLine(message);
}

/** The identity of a diagnostic is its file and its message: with its place, the message is enough. */
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

/** Long names give way to the place and the finding, and stay distinct. */
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

/** Where the runs of a repeated gate do not agree, each of them says why. */
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

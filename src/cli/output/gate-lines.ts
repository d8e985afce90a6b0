// Log lines of judging: verdicts with their failures, the baseline, and decisions.

import { isUnread, UNREAD } from "#rules/cautions";
import { describeRed, falseClaim } from "#rules/claim";
import { failingOf, judgedBefore } from "#rules/failing-tests";
import type { EventOf } from "#spec/event";
import type { Iteration, Run } from "#spec/run";
import { type Failure, isFlaky, type Verdict, type VerdictStatus } from "#spec/verdict";
import { mostTellingLine } from "#text/error-lines";
import { detailBeyondId } from "#text/failure-detail";
import { shortenNames } from "#text/shorten-names";
import { duration, failing, mark, pad, score, testFraction } from "./format.ts";
import { firstLine, oneLine, type Part, reasonRows, type Span, tone } from "./spans.ts";
import type { Screen, Style, Tone } from "./style.ts";
import { width } from "./width.ts";
import { decided, iterationName } from "./words.ts";

const FAILURES_SHOWN = 5;
const SHORTEST_NAME = 20;

const TONES: Readonly<Record<VerdictStatus, Tone>> = {
  passed: "good",
  failed: "bad",
  errored: "bad",
  waiting: "warn",
  skipped: "faint",
};

export const statusSign = (status: VerdictStatus, style: Style): Span =>
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
function describeFailure({ message, expected, actual }: Failure): string {
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
  if (failure.id !== undefined)
    return ["      ", name, ...location, tone("faint", `  ${describeFailure(failure)}`)];
  const message = errorLine(failure.message, summary);
  return message === "" && location.length === 0 ? undefined : ["      ", message, ...location];
}

/** Shortens long names to make space for location and message; shortened names stay distinct. */
function failureRows(verdict: Verdict, { style, columns }: Screen): Part[][] {
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
    statusSign(status, style),
    tone("faint", ` run ${index + 1}  ${firstLine(summary)}`),
  ]);
}

export function verdictRows(
  { gate, verdict }: Pick<EventOf<"gate.judged">, "gate" | "verdict">,
  run: Run,
  screen: Screen,
): Part[][] {
  const { style } = screen;
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
  const line = ["  ", statusSign(verdict.status, style), " ", pad(oneLine(gate), names), "  ", tests];
  const flaky = isFlaky(verdict) ? [tone("warn", `${style.glyphs.warning} FLAKY  `)] : [];
  const rest = [...flaky, summary, summary && notes ? "  " : "", tone("faint", notes)];
  return [[...line, ...rest], ...attemptRows(verdict, style), ...failureRows(verdict, screen)];
}

/** The baseline has no start event: its first verdict prints the heading, its last one the total. */
export function judgedRows(event: EventOf<"gate.judged">, run: Run, screen: Screen): Part[][] {
  const rows = verdictRows(event, run, screen);
  if (event.iteration !== 0) return rows;
  const { verdicts } = run.baseline;
  const heading = verdicts.length === 1 ? [[tone("strong", "baseline")]] : [];
  const isLast = verdicts.length === run.task.gates.length;
  const total = isLast ? [...standingRows(run, run.baseline, screen.style), ...unreadRows(run, screen)] : [];
  return [...heading, ...rows, ...total];
}

/** Warns before the first agent starts: gates without recognised test results are easier to fool. */
function unreadRows({ baseline, task }: Run, { style, columns }: Screen): Part[][] {
  if (!isUnread(baseline, task.gates.length)) return [];
  const phrase = tone("warn", `${style.glyphs.warning} no test results were recognised`);
  return reasonRows(phrase, UNREAD, { columns, indent: "  " });
}

export function escalatedRows(
  { gate, reason }: EventOf<"gate.escalated">,
  { style, columns }: Screen,
): Part[][] {
  const phrase = tone("loud", `${style.glyphs.warning} ESCALATED ${gate}`);
  return reasonRows(phrase, reason, { columns, indent: "  " });
}

/** Smaller changes of the score count as stagnant. */
const NOTICEABLE = 0.05;

/** Warns about an agent's claim of success that the gates contradict. */
function claimRows(run: Run, iteration: Iteration | undefined, style: Style): Part[][] {
  const claim = iteration && falseClaim(run, iteration);
  if (!iteration || claim === undefined) return [];
  const red = describeRed(run, iteration, () => true);
  return [
    [tone("warn", `  ${style.glyphs.warning} the agent said "${claim}", but these gates are red: ${red}`)],
  ];
}

function arrow(rise: number, style: Style): Span {
  const { improving, regressing, stagnant } = style.glyphs.trend;
  if (rise > NOTICEABLE) return tone("good", improving);
  return rise < -NOTICEABLE ? tone("bad", regressing) : tone("faint", stagnant);
}

/** Failing tests if there is an earlier count to compare with, else the score. */
function standingRows(run: Run, iteration: Iteration | undefined, style: Style): Part[][] {
  if (iteration?.score === undefined) return [];
  const earlier = judgedBefore(run, iteration.number)?.score;
  const counts = failingOf(run, iteration);
  const now = score(iteration.score);
  if (counts?.before !== undefined)
    return [["  ", arrow(counts.before - counts.now, style), ` ${failing(counts, style.glyphs)}`]];
  if (earlier === undefined) return [[`    ${counts ? failing(counts) : `score ${now}`}`]];
  const sign = arrow(iteration.score - earlier, style);
  return [["  ", sign, ` score ${now}`, tone("faint", `, was ${score(earlier)}`)]];
}

export function decisionRows(
  { iteration, decision }: EventOf<"decision.made">,
  run: Run,
  screen: Screen,
): Part[][] {
  const { style, columns } = screen;
  const { tone: kind, sign, text } = decided(decision, style.glyphs);
  const reason = `${decision.reason} (confidence ${score(decision.confidence)})`;
  const feedback = decision.feedback
    ? [[tone("faint", `    feedback: ${firstLine(decision.feedback)}`)]]
    : [];
  const judged = run.iterations.find((each) => each.number === iteration);
  return [
    ...standingRows(run, judged, style),
    ...claimRows(run, judged, style),
    ...reasonRows(tone(kind, `${sign} ${text}`), reason, { columns, indent: "  " }),
    ...feedback,
  ];
}

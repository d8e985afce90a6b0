// The rows of the live panel, one function each, and the column widths that they share.
import type { GateProgress, Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import { clock, counted, duration, fitted, pad, score, sparkline, testFraction, trend } from "./format.ts";
import { nameWidth, statusSign } from "./gate-lines.ts";
import type { Glyphs } from "./glyphs.ts";
import { nextSteps, stepParts } from "./next-steps.ts";
import { firstLine, joinFitting, oneLine, type Part, type Span, tone, widthOf, wrap } from "./spans.ts";
import type { Screen } from "./style.ts";
import { usage } from "./usage.ts";
import { width } from "./width.ts";
import { decided, WAITS } from "./words.ts";

export interface FrameInput extends Screen {
  readonly run: Run;
  readonly progress: Progress;
  /** The last lines of the agent's or the gate's log, newest last. */
  readonly activity: readonly string[];
  /** Wall clock, in milliseconds. */
  readonly now: number;
  readonly rows: number;
  /** Counts up; each step turns the spinner once. */
  readonly spinner: number;
}

/** Column widths that all rows share, so that their columns line up. */
export interface Layout {
  readonly glyphs: Glyphs;
  readonly columns: number;
  readonly isNarrow: boolean;
  /** Column widths from left to right: names, sparklines, values. */
  readonly label: number;
  readonly spark: number;
  readonly value: number;
}

const MAX_COLUMNS = 120;
const NARROW = 60;
const ROOMY = 100;

export function layoutOf(input: FrameInput): Layout {
  const { byGate, scores } = input.progress;
  const columns = Math.min(input.columns, MAX_COLUMNS);
  const isNarrow = columns < NARROW;
  const names = byGate.map((gate) => gate.gate);
  const points = Math.max(scores.length, ...byGate.map((gate) => gate.scores.length));
  return {
    glyphs: input.style.glyphs,
    columns,
    isNarrow,
    label: Math.max("decision".length, nameWidth(names, isNarrow ? 12 : 24)),
    spark: Math.min(points, isNarrow ? 6 : columns < ROOMY ? 10 : 16),
    value: Math.max(
      "0.00".length,
      width(standing(input)),
      ...byGate.map((gate) => (gate.tests ? testFraction(gate.tests).length : 0)),
    ),
  };
}

/** "4 → 3" failing tests if they are counted, else the score. */
function standing({ progress, style }: Pick<FrameInput, "progress" | "style">): string {
  const { failing, scores, overall } = progress;
  if (!failing) return scores.length > 0 ? score(overall) : style.glyphs.unknown;
  const { now, before = now } = failing;
  return before === now ? String(now) : `${before} ${style.glyphs.to} ${now}`;
}

/** A sign and a label, padded to the width of the label column. */
function labelParts(sign: Part, label: string, { label: columns, glyphs }: Layout): Part[] {
  return [sign, " ", pad(fitted(oneLine(label), columns, glyphs), columns), "  "];
}

function sparkParts(scores: readonly number[], { spark: columns, glyphs }: Layout): Part[] {
  if (columns === 0) return [];
  return [tone("accent", pad(sparkline(scores, columns, glyphs), columns)), "  "];
}

const between = (input: FrameInput): Span => tone("faint", ` ${input.style.glyphs.dot} `);

function spinnerSign(input: FrameInput): Span {
  const steps = [...input.style.glyphs.spinner];
  return tone("accent", steps[input.spinner % steps.length] ?? " ");
}

function sign(input: FrameInput): Span {
  const { run, style } = input;
  if (run.state === "running" || run.state === "waiting" || run.state === "away") return spinnerSign(input);
  if (run.ended) return statusSign(run.ended.outcome === "converged" ? "passed" : "failed", style);
  return tone("warn", style.glyphs.pause);
}

/** Whole seconds, so that the panel does not flicker. */
const since = (time: string, now: number): string =>
  duration(Math.floor((now - Date.parse(time)) / 1000) * 1000);

function phaseWords(input: FrameInput): Part[] {
  const { run, now } = input;
  const { phase } = input.progress;
  const time = tone("strong", since(phase.since, now));
  switch (phase.name) {
    case "agent":
      return ["agent ", time, ...(run.isolation ? [between(input), run.isolation.tier] : [])];
    case "gate":
      return ["gate ", oneLine(phase.gate ?? ""), " ", time];
    case "snapshot":
      return ["snapshot ", time];
    case "decision":
      return ["deciding ", time];
    case "away":
      return [run.waitingFor?.reason ?? "away", " ", time];
    case "delayed": {
      const until = run.iterations.at(-1)?.delayedUntil;
      return until ? ["agent waits", ...countdown(until, input)] : ["agent waits ", time];
    }
    case "waiting":
      return ["waiting for a person ", time, ...expiry(input)];
    case "paused":
      return ["paused ", time];
    case "ended":
      return [run.ended?.reason ?? "ended"];
  }
}

/** The end time and the time left. */
function countdown(until: string, { now }: FrameInput): Part[] {
  const left = duration(Math.max(0, Math.floor((Date.parse(until) - now) / 1000) * 1000));
  return [" until ", tone("strong", clock(until)), tone("faint", ` (${left} left)`)];
}

/** When the question expires, if it does. */
function expiry(input: FrameInput): Part[] {
  const until = input.run.waitingFor?.until;
  return until === undefined ? [] : [tone("faint", ` ${input.style.glyphs.dot}`), ...countdown(until, input)];
}

export function headlineRow(input: FrameInput): Part[] {
  const { iteration, maxIterations } = input.progress;
  const place =
    iteration === 0
      ? ["baseline"]
      : ["iteration ", tone("strong", String(iteration)), ` of ${maxIterations}`];
  return [sign(input), " ", ...place, between(input), ...phaseWords(input), ...requestWords(input)];
}

function requestWords(input: FrameInput): Part[] {
  const { run } = input;
  if (run.ended) return [];
  if (run.stopping !== undefined) return [between(input), tone("warn", "stopping")];
  return run.pausing ? [between(input), tone("warn", "will pause")] : [];
}

function bar(value: number, columns: number, input: FrameInput): Part[] {
  const full = Math.max(0, Math.min(columns, Math.floor(value * columns + 1e-9))) || 0;
  const { full: block, empty } = input.style.glyphs;
  return [
    tone(value >= 1 ? "good" : "accent", block.repeat(full)),
    tone("faint", empty.repeat(columns - full)),
  ];
}

export function scoreRow(input: FrameInput, layout: Layout): Part[] {
  const { progress, style } = input;
  const known = progress.scores.length > 0;
  const value = pad(standing(input), layout.value);
  const lead = [
    ...labelParts(" ", progress.failing ? "failing" : "score", layout),
    ...sparkParts(progress.scores, layout),
    tone("strong", value),
    "  ",
    ...bar(known ? progress.overall : 0, layout.isNarrow ? 8 : 16, input),
    "  ",
  ];
  const { best } = progress;
  const facts = [
    ...(progress.scores.length > 1 ? [[direction(input, layout)]] : []),
    ...(best && best.iteration > 0
      ? [[progress.failing ? `best #${best.iteration}` : `best ${score(best.score)} (#${best.iteration})`]]
      : []),
  ];
  return [...lead, ...joinFitting(facts, layout.columns - widthOf(lead), style)];
}

function direction(input: FrameInput, layout: Layout): Span {
  const { trend: value } = input.progress;
  const kind = { improving: "good", stagnant: "faint", regressing: "bad" } as const;
  const { glyphs } = input.style;
  return tone(kind[value], layout.isNarrow ? glyphs.trend[value] : trend(value, glyphs));
}

function gateRow(gate: GateProgress, input: FrameInput, layout: Layout): Part[] {
  const { style } = input;
  const { phase } = input.progress;
  const judging = phase.name === "gate" && phase.gate === gate.gate && input.run.state === "running";
  const status = gate.status === undefined ? " " : statusSign(gate.status, style);
  const value = pad(gate.tests ? testFraction(gate.tests) : "", layout.value);
  const summary = firstLine(gate.summary);
  return [
    ...labelParts(judging ? spinnerSign(input) : status, gate.gate, layout),
    ...sparkParts(gate.scores, layout),
    `${value}  `,
    gate.status === "failed" || gate.status === "errored" ? summary : tone("faint", summary),
  ];
}

/** At most `max` rows; the last one counts the hidden gates, and those of them that did not pass. */
export function gateRows(input: FrameInput, layout: Layout, max: number): Part[][] {
  const { byGate } = input.progress;
  if (byGate.length <= max) return byGate.map((gate) => gateRow(gate, input, layout));
  const shown = byGate.slice(0, max - 1);
  const hidden = byGate.slice(max - 1);
  const red = hidden.filter((gate) => gate.status !== "passed").length;
  const more = `+${hidden.length} more, ${red === 0 ? "all passed" : `${red} not passed`}`;
  return [
    ...shown.map((gate) => gateRow(gate, input, layout)),
    [tone(red === 0 ? "faint" : "warn", `  ${more}`)],
  ];
}

/** Adds the time since the last event, because no events arrive while an agent works. */
function elapsed(input: FrameInput): number {
  const { run, progress, now } = input;
  const live =
    run.state === "running" || run.state === "away" ? Math.max(0, now - Date.parse(run.updatedAt)) || 0 : 0;
  return Math.floor((progress.elapsedMs + live) / 1000) * 1000;
}

export function usageRow(input: FrameInput, layout: Layout): Part[] {
  const { run, progress, style } = input;
  const lead = labelParts(" ", "used", layout);
  const { remaining } = progress;
  const rest = !remaining ? [] : [[`about ${counted(Math.ceil(remaining), "iteration")} to go`]];
  const facts = [
    ...usage(run, { ...progress, elapsedMs: elapsed(input) }, style),
    ...(run.ended ? [] : rest),
  ];
  return [...lead, ...joinFitting(facts, layout.columns - widthOf(lead), style)];
}

/** The newest decision; its reason comes last, so that only the reason is cut. */
export function decisionRow(input: FrameInput, layout: Layout): Part[][] {
  const decision = input.run.iterations.findLast((each) => each.decision)?.decision;
  if (!decision) return [];
  const said = decided(decision, input.style.glyphs);
  const sure = score(decision.confidence);
  if (layout.isNarrow) return [[tone(said.tone, said.sign), ` ${said.text} (${sure}): `, decision.reason]];
  const lead = labelParts(tone(said.tone, said.sign), "decision", layout);
  const facts = [said.text, between(input), `confidence ${sure}`, between(input)];
  return [[...lead, ...facts, decision.reason]];
}

/** Always `count` rows, so that the panel keeps its height while the log fills. */
export function activityRows(input: FrameInput, count: number): Part[][] {
  if (count <= 0 || input.run.state !== "running") return [];
  const said = input.activity.filter((line) => oneLine(line).trim() !== "").slice(-count);
  const lines = [...said, ...Array<string>(count - said.length).fill("")];
  return lines.map((line) => [tone("faint", `${input.style.glyphs.quote} ${line}`)]);
}

const MAX_STEPS = 3;

/** Why the run waits, and the commands that answer it. */
export function waitingRows(input: FrameInput): Part[][] {
  const { run, columns, style } = input;
  if (run.state !== "waiting") return [];
  const why = wrap(run.waitingFor?.reason ?? "", columns - 2, 2);
  const steps = nextSteps(run).slice(0, MAX_STEPS);
  return [
    ...why.map((line): Part[] => [tone("warn", `${style.glyphs.quote} `), line]),
    [tone("faint", "in another terminal:")],
    ...steps.map((step) => ["  ", ...stepParts(step, columns - 2)]),
  ];
}

export function hintRow(input: FrameInput): Part[][] {
  const { run, style } = input;
  if (run.state === "away") return [[tone("faint", "Ctrl-C exits; the session continues")]];
  if (run.state === "running")
    return [[tone("faint", `Ctrl-C stops ${style.glyphs.dot} the run can be resumed`)]];
  if (run.state === "waiting") return [[tone("faint", WAITS)]];
  return nextSteps(run)
    .slice(0, 1)
    .map((step) => stepParts(step, input.columns));
}

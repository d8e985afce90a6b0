// Report section: the convergence curve, overall and per gate, with the best iteration and the decisions marked.
import type { GateCell, IterationRow, Overview } from "#spec/overview";
import { percent } from "#text/format";
import { oneLine } from "#text/plain-text";
import {
  DECISION_WORDS,
  type DecisionKind,
  decisionKind,
  decisionSign,
  describeDecision,
  iterationLabel,
  iterationName,
} from "#text/words";
import { line } from "./html/blocks.ts";
import { type Child, type Html, html } from "./html/html.ts";
import { type Plot, percentTick, plotOf, type Scale } from "./html/plot.ts";

const SIZE = { width: 960, height: 340 };
const MAX_TICKS = 20;
/** With more iterations, dots would overlap. */
const MAX_DOTS = 60;
/** The number of line styles. */
const MAX_GATES = 8;
const TITLE_CHARS = 160;

function iterationScale(rows: readonly IterationRow[]): Scale {
  const [from, to] = [rows[0]?.number ?? 0, rows.at(-1)?.number ?? 1];
  const step = Math.max(1, Math.ceil((to - from) / MAX_TICKS));
  const ticks = rows.map(({ number }) => number).filter((number) => (number - from) % step === 0);
  return { from, to: Math.max(to, from + 1), ticks: ticks.map((at) => ({ at, name: iterationLabel(at) })) };
}

type Unit = "failing" | "score";

/** A share hardly moves in a large suite: what fails is drawn where every judged iteration tells it. */
function unitOf(rows: readonly IterationRow[]): Unit {
  const judged = rows.filter(({ score }) => score !== undefined);
  return judged.length > 0 && judged.every(({ failing }) => failing) ? "failing" : "score";
}

function overall(rows: readonly IterationRow[], unit: Unit): [number, number][] {
  return rows.flatMap(({ number, score, failing }): [number, number][] => {
    if (score === undefined) return [];
    return [[number, unit === "failing" ? (failing?.now ?? 0) : score]];
  });
}

const MOST_COUNTS = 5;

/** The place below the axis is for the signs of the decisions. */
function heightScale(unit: Unit, points: readonly (readonly [number, number])[]): Scale {
  if (unit === "score") return { from: -0.1, to: 1, ticks: [0, 0.25, 0.5, 0.75, 1].map(percentTick) };
  const most = Math.max(1, ...points.map(([, count]) => count));
  const step = Math.ceil(most / MOST_COUNTS);
  const counts = Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
  return { from: -0.1 * most, to: most, ticks: counts.map((at) => ({ at, name: String(at) })) };
}

const failingIn = ({ status, failures }: GateCell): number => (status === "passed" ? 0 : failures);

/** Only what was judged has a place on the curve. */
function pointsOf(rows: readonly IterationRow[], gate: string, unit: Unit): [number, number][] {
  return rows.flatMap(({ number, gates }) => {
    const cell = gates.find((one) => one.gate === gate);
    const isJudged = cell && cell.status !== "skipped" && cell.status !== "waiting";
    if (!isJudged) return [];
    return [[number, unit === "failing" ? failingIn(cell) : cell.score] as [number, number]];
  });
}

function decisionMarks(rows: readonly IterationRow[], { across }: Plot): Html[] {
  return rows.flatMap(({ number, decision }) => {
    if (!decision) return [];
    const kind = decisionKind(decision);
    const title = `${iterationName(number)}: ${describeDecision(decision)}: ${decision.reason}`;
    return [
      html`<text class="decision ${kind}" x="${across(number)}" y="${SIZE.height - 51}" text-anchor="middle">${decisionSign(kind)}<title>${oneLine(title, TITLE_CHARS)}</title></text>
`,
    ];
  });
}

const swatch = (kind: string): Html =>
  html`<svg viewBox="0 0 24 8" aria-hidden="true"><line class="${kind}" x1="0" x2="24" y1="4" y2="4"/></svg>`;

/** Explains the lines, and the signs of the decisions that the run has. */
function legend({ rows, task }: Overview, gates: readonly string[]): Html {
  const more = gates.length > 0 ? task.gates.length - gates.length : 0;
  const kinds = new Set(rows.flatMap(({ decision }) => (decision ? [decisionKind(decision)] : [])));
  const signs = (Object.keys(DECISION_WORDS) as DecisionKind[])
    .filter((kind) => kinds.has(kind))
    .map((kind) => `${decisionSign(kind)} ${DECISION_WORDS[kind]}`);
  return html`<ul class="legend"><li>${swatch("overall")}overall</li>${gates.map((gate, at) => html`<li>${swatch(`g${at}`)}${line(gate, 60)}</li>`)}${
    more > 0 && html`<li class="soft">and ${more} more gates, in the table</li>`
  }<li><span class="ring"></span>best</li>${signs.length > 0 && html`<li class="soft">${signs.join(" · ")}</li>`}</ul>`;
}

/** A gate may count more than the sum of all, which leaves out what cannot be compared. */
function linesOf(rows: readonly IterationRow[], gates: readonly string[], unit: Unit) {
  return { points: overall(rows, unit), each: gates.map((gate) => pointsOf(rows, gate, unit)) };
}

export function curvePicture(overview: Overview): Child {
  const { rows, task, best } = overview;
  const shown = task.gates.slice(0, MAX_GATES).map(({ name }) => name);
  // One gate is the overall score, drawn once.
  const gates = shown.length > 1 ? shown : [];
  const unit = unitOf(rows);
  const { points, each } = linesOf(rows, gates, unit);
  if (points.length === 0) return html`<p>No gate has judged yet.</p>`;
  const describe = (value: number) => (unit === "failing" ? `${value} failing` : percent(value));
  const plot = plotOf({
    ...SIZE,
    x: iterationScale(rows),
    y: heightScale(unit, [points, ...each].flat()),
    label: `${unit === "failing" ? "failing tests" : "score"} by iteration: from ${describe(points[0]?.[1] ?? 0)} to ${describe(points.at(-1)?.[1] ?? 0)}`,
    titles: { x: "iteration" },
  });
  const dots = (points.length > MAX_DOTS ? [] : points).map(
    ([number, value]) =>
      html`<circle class="dot" cx="${plot.across(number)}" cy="${plot.up(value)}" r="3.5"><title>${iterationName(number)}: ${describe(value)}</title></circle>
`,
  );
  const ring = points
    .filter(([number]) => number === best?.iteration)
    .map(
      ([number, value]) =>
        html`<circle class="best" cx="${plot.across(number)}" cy="${plot.up(value)}" r="8"><title>best: ${iterationName(number)}, ${describe(value)}</title></circle>`,
    );
  const marked = rows.length > MAX_DOTS ? rows.slice(-1) : rows;
  return [
    plot.svg([
      each.map((one, at) => plot.line(`g${at}`, one)),
      plot.line("overall", points),
      ...[dots, ring, decisionMarks(marked, plot)],
    ]),
    legend(overview, gates),
  ];
}

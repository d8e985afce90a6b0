// Report section: the convergence curve, overall and per gate, with the best iteration and the decisions marked.
import type { Decision } from "#spec/decision";
import type { GateCell, IterationRow, Overview } from "#spec/overview";
import { percent } from "#text/format";
import { oneLine } from "#text/plain-text";
import { escaped } from "./html/escaped.ts";
import { percentTick, plotOf, type Scale } from "./html/plot.ts";
import { said } from "./markup.ts";
import { describeDecision, nameOf } from "./words.ts";

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
  return { from, to: Math.max(to, from + 1), ticks: ticks.map((at) => ({ at, name: nameOf(at) })) };
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

function decisionKind(decision: Decision): "on" | "back" | "ask" | "halt" {
  if (decision.continue) return decision.rollbackTo === undefined ? "on" : "back";
  return decision.wait ? "ask" : "halt";
}

const DECISION_SIGNS = { on: "›", back: "↶", ask: "?", halt: "■" } as const;

function decisionMarks(rows: readonly IterationRow[], across: (value: number) => string): string[] {
  return rows.flatMap(({ number, decision }) => {
    if (!decision) return [];
    const kind = decisionKind(decision);
    const title = oneLine(
      `iteration ${number}: ${describeDecision(decision)}: ${decision.reason}`,
      TITLE_CHARS,
    );
    return [
      `<text class="decision ${kind}" x="${across(number)}" y="${SIZE.height - 51}" text-anchor="middle">${DECISION_SIGNS[kind]}<title>${escaped(title)}</title></text>`,
    ];
  });
}

function legend(gates: readonly string[], more: number): string {
  const names = gates.map(
    (gate, at) =>
      `<li><svg viewBox="0 0 24 8" aria-hidden="true"><line class="g${at}" x1="0" x2="24" y1="4" y2="4"/></svg>${said(gate, 60)}</li>`,
  );
  const overallItem =
    '<li><svg viewBox="0 0 24 8" aria-hidden="true"><line class="overall" x1="0" x2="24" y1="4" y2="4"/></svg>overall</li>';
  const best = '<li><span class="ring"></span>best</li>';
  const rest = more > 0 ? `<li class="soft">and ${more} more gates, in the table</li>` : "";
  const signs = '<li class="soft">› continue · ↶ roll back · ? ask a person · ■ stop</li>';
  return `<ul class="legend">${overallItem}${names.join("")}${rest}${best}${signs}</ul>`;
}

/** A gate may count more than the sum of all, which leaves out what cannot be compared. */
function linesOf(rows: readonly IterationRow[], gates: readonly string[], unit: Unit) {
  return { points: overall(rows, unit), each: gates.map((gate) => pointsOf(rows, gate, unit)) };
}

export function curvePicture({ rows, task, best }: Overview): string {
  const shown = task.gates.slice(0, MAX_GATES).map(({ name }) => name);
  // One gate is the overall score, drawn once.
  const gates = shown.length > 1 ? shown : [];
  const unit = unitOf(rows);
  const { points, each } = linesOf(rows, gates, unit);
  const words = (value: number) => (unit === "failing" ? `${value} failing` : percent(value));
  if (points.length === 0) return "<p>No gate has judged yet.</p>";
  const plot = plotOf({
    ...SIZE,
    x: iterationScale(rows),
    y: heightScale(unit, [points, ...each].flat()),
    label: `${unit === "failing" ? "failing tests" : "score"} by iteration: from ${words(points[0]?.[1] ?? 0)} to ${words(points.at(-1)?.[1] ?? 0)}`,
    titles: { x: "iteration" },
  });
  const lines = each.map((one, at) => plot.line(`g${at}`, one));
  const dots = points.length > MAX_DOTS ? [] : points;
  const circles = dots.map(
    ([number, score]) =>
      `<circle class="dot" cx="${plot.across(number)}" cy="${plot.up(score)}" r="3.5"><title>${nameOf(number)}: ${words(score)}</title></circle>`,
  );
  const ring = points
    .filter(([number]) => number === best?.iteration)
    .map(
      ([number, value]) =>
        `<circle class="best" cx="${plot.across(number)}" cy="${plot.up(value)}" r="8"><title>best: ${nameOf(number)}, ${words(value)}</title></circle>`,
    );
  const marks =
    rows.length > MAX_DOTS ? decisionMarks(rows.slice(-1), plot.across) : decisionMarks(rows, plot.across);
  const body = [...lines, plot.line("overall", points), ...circles, ...ring, ...marks];
  return `${plot.svg(body)}\n${legend(gates, task.gates.length - shown.length)}`;
}

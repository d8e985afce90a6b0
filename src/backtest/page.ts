// Renders a backtest as one self-contained page: no scripts, no external resources.

import { documentOf } from "#report/html/document";
import { type Child, type Html, html } from "#report/html/html";
import { share, UNKNOWN } from "#text/format";
import { calibrationPicture, keptAgainstSaved, type Point } from "./chart.ts";
import type { Score } from "./score.ts";

export interface PageData {
  readonly title: string;
  /** Sentences about the data it was measured on. */
  readonly notes: readonly string[];
  readonly scores: readonly Score[];
  /** Scores of adaptive over a range of values. */
  readonly curve: readonly { readonly value: number; readonly score: Score }[];
}

const STYLE = `
th, td { text-align: right; white-space: nowrap; font-size: .88rem; padding: .35rem .5rem; } th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
td:nth-child(2) { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
polyline { fill: none; stroke: var(--line); stroke-width: 1.5; } .right { stroke: var(--soft); stroke-dasharray: 4 4; }
circle { fill: var(--line); } svg .small { font-size: 11px; } svg .mark { fill: var(--paper); font-weight: 600; }`;

const decimal = (value: number | undefined): string => (value === undefined ? UNKNOWN : value.toFixed(3));

const HEAD = [
  "#",
  "strategy",
  "source",
  "runs",
  "kept",
  "saved",
  "cost saved",
  "false stops",
  "95%",
  "ECE",
  "skill",
];

function cellsOf(score: Score, mark: string): readonly string[] {
  const [low, high] = score.falseStopInterval;
  return [
    mark,
    score.strategy,
    score.source ?? "all",
    `${score.runs} (${score.solved} solved)`,
    share(score.kept),
    share(score.saved),
    share(score.costSaved),
    `${Number(score.falseStops.toFixed(1))}`,
    score.solved === 0 ? UNKNOWN : `${share(low, 2)} to ${share(high, 2)}`,
    decimal(score.calibrationError),
    decimal(score.brierSkill),
  ];
}

function tableOf(scores: readonly Score[], marks: ReadonlyMap<string, string>): Html {
  const rows = scores.map((score) => {
    const cells = cellsOf(score, marks.get(score.strategy) ?? "");
    return html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`;
  });
  const head = HEAD.map((title) => html`<th>${title}</th>`);
  return html`<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>
${rows}</tbody></table></div>`;
}

function pointOf(score: Score, mark: string, name: string): Point[] {
  if (score.kept === undefined) return [];
  const title = `${name}: kept ${share(score.kept)}, saved ${share(score.saved)}`;
  return [{ saved: score.saved, kept: score.kept, mark, title }];
}

/** Both charts of one source, or of all. */
function pictures(
  { scores, curve }: PageData,
  source: string | undefined,
  marks: ReadonlyMap<string, string>,
): Child {
  const own = scores.filter((score) => score.source === source);
  const points = own.flatMap((score) => pointOf(score, marks.get(score.strategy) ?? "", score.strategy));
  const values = curve
    .filter(({ score }) => score.source === source)
    .flatMap(({ value, score }) => pointOf(score, String(value), `adaptive, value ${value}`));
  const calibrated = own.filter(({ calibration }) => calibration.length > 0);
  const series = calibrated.map(({ strategy, calibration }) => ({ mark: strategy, bins: calibration }));
  const heading = source === undefined ? "Kept and saved" : `Kept and saved: ${source}`;
  return [
    html`<h2>${heading}</h2>`,
    points.length > 0
      ? keptAgainstSaved(points, values)
      : html`<p>No run was solved, so there is nothing to keep.</p>`,
    series.length > 0 && [html`<h3>Calibration of predicted chances</h3>`, calibrationPicture(series)],
  ];
}

export function pageOf(data: PageData): string {
  const marks = new Map(
    [...new Set(data.scores.map(({ strategy }) => strategy))].map((name, at) => [name, `${at + 1}`]),
  );
  const sources = [...new Set(data.scores.map(({ source }) => source))];
  const body = html`<h1>${data.title}</h1>
${data.notes.map((note) => html`<p>${note}</p>`)}
${tableOf(data.scores, marks)}
<p class="soft">Kept: solved runs that were allowed to run until they passed. Saved: share of all iterations that were not run. In the
charts, dots with a number are the strategies of the table; the line is adaptive over its values.</p>
${sources.map((source) => pictures(data, source, marks))}`;
  return documentOf({ title: data.title, style: STYLE, body });
}

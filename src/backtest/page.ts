// A backtest as one page that needs nothing else: no scripts, nothing from elsewhere, every text escaped.

import { documentOf } from "#report/html/document";
import { escaped } from "#report/html/escaped";
import { share } from "#text/format";
import { calibrationPicture, keptAgainstSaved, type Point } from "./chart.ts";
import type { Score } from "./score.ts";

export interface PageFacts {
  readonly title: string;
  /** What it was measured on, in sentences. */
  readonly notes: readonly string[];
  readonly scores: readonly Score[];
  /** Adaptive over its values. */
  readonly curve: readonly { readonly value: number; readonly score: Score }[];
}

const STYLE = `
th, td { text-align: right; white-space: nowrap; font-size: .88rem; padding: .35rem .5rem; } th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
td:nth-child(2) { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; }
polyline { fill: none; stroke: var(--line); stroke-width: 1.5; } .right { stroke: var(--soft); stroke-dasharray: 4 4; }
circle { fill: var(--line); } svg .small { font-size: 11px; } svg .mark { fill: var(--paper); font-weight: 600; }`;

const decimal = (value: number | undefined): string => (value === undefined ? "–" : value.toFixed(3));

const HEAD = [
  "#",
  "strategy",
  "source",
  "runs",
  "kept",
  "saved",
  "cost saved",
  "false stops",
  "95 %",
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
    score.solved === 0 ? "–" : `${(100 * low).toFixed(2)} to ${share(high, 2)}`,
    decimal(score.calibrationError),
    decimal(score.brierSkill),
  ];
}

function tableOf(scores: readonly Score[], marks: ReadonlyMap<string, string>): string {
  const row = (cells: readonly string[], kind: "td" | "th") =>
    `<tr>${cells.map((cell) => `<${kind}>${escaped(cell)}</${kind}>`).join("")}</tr>`;
  const rows = scores.map((score) => row(cellsOf(score, marks.get(score.strategy) ?? ""), "td"));
  return `<div class="wide"><table><thead>${row(HEAD, "th")}</thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

function pointOf(score: Score, mark: string, name: string): Point[] {
  if (score.kept === undefined) return [];
  const title = `${name}: kept ${share(score.kept)}, saved ${share(score.saved)}`;
  return [{ saved: score.saved, kept: score.kept, mark, title }];
}

/** The two pictures of one source, or of all. */
function pictures(
  { scores, curve }: PageFacts,
  source: string | undefined,
  marks: ReadonlyMap<string, string>,
): string {
  const here = scores.filter((score) => score.source === source);
  const points = here.flatMap((score) => pointOf(score, marks.get(score.strategy) ?? "", score.strategy));
  const values = curve
    .filter(({ score }) => score.source === source)
    .flatMap(({ value, score }) => pointOf(score, String(value), `adaptive, value ${value}`));
  const told = here.filter(({ calibration }) => calibration.length > 0);
  const series = told.map(({ strategy, calibration }) => ({ mark: strategy, bins: calibration }));
  const heading = source === undefined ? "Kept and saved" : `Kept and saved: ${source}`;
  return [
    `<h2>${escaped(heading)}</h2>`,
    points.length > 0
      ? keptAgainstSaved(points, values)
      : "<p>No run was solved, so there is nothing to keep.</p>",
    ...(series.length > 0 ? ["<h3>Chances told, and what came</h3>", calibrationPicture(series)] : []),
  ].join("\n");
}

export function pageOf(facts: PageFacts): string {
  const marks = new Map(
    [...new Set(facts.scores.map(({ strategy }) => strategy))].map((name, at) => [name, `${at + 1}`]),
  );
  const sources = [...new Set(facts.scores.map(({ source }) => source))];
  const body = `<h1>${escaped(facts.title)}</h1>
${facts.notes.map((note) => `<p>${escaped(note)}</p>`).join("\n")}
${tableOf(facts.scores, marks)}
<p class="soft">Kept: solved runs that were let run until they passed. Saved: iterations that were not made, of all there were. In the
pictures, dots with a number are the strategies of the table; the line is adaptive over its values.</p>
${sources.map((source) => pictures(facts, source, marks)).join("\n")}`;
  return documentOf({ title: facts.title, style: STYLE, body });
}

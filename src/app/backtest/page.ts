// A backtest as one page that needs nothing else: no scripts, nothing from elsewhere, every text escaped.
import { calibrationPicture, escaped, keptAgainstSaved, type Point } from "./chart.ts";
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
:root { color-scheme: light dark; --ink: #1c2330; --faint: #c9d0da; --line: #2f6fde; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --faint: #3a4252; --line: #79a8ff; --paper: #12161e; } }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--faint); }
th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; } td:nth-child(2) { overflow-wrap: anywhere; }
svg { width: 100%; height: auto; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .small { font-size: 10px; }
.grid { stroke: var(--faint); } polyline { fill: none; stroke: var(--line); } .right { stroke: var(--faint); stroke-dasharray: 4 4; }
circle { fill: var(--line); } svg .mark { fill: var(--paper); font-weight: 600; }`;

export const percent = (share: number | undefined, digits = 1): string =>
  share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;

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
    percent(score.kept),
    percent(score.saved),
    percent(score.costSaved),
    `${Number(score.falseStops.toFixed(1))}`,
    score.solved === 0 ? "–" : `${percent(low, 2)} to ${percent(high, 2)}`,
    decimal(score.calibrationError),
    decimal(score.brierSkill),
  ];
}

function tableOf(scores: readonly Score[], marks: ReadonlyMap<string, string>): string {
  const row = (cells: readonly string[], kind: "td" | "th") =>
    `<tr>${cells.map((cell) => `<${kind}>${escaped(cell)}</${kind}>`).join("")}</tr>`;
  const rows = scores.map((score) => row(cellsOf(score, marks.get(score.strategy) ?? ""), "td"));
  return `<table><thead>${row(HEAD, "th")}</thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function pointOf(score: Score, mark: string, name: string): Point[] {
  if (score.kept === undefined) return [];
  const title = `${name}: kept ${percent(score.kept)}, saved ${percent(score.saved)}`;
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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(facts.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(facts.title)}</h1>
${facts.notes.map((note) => `<p>${escaped(note)}</p>`).join("\n")}
${tableOf(facts.scores, marks)}
${sources.map((source) => pictures(facts, source, marks)).join("\n")}
<p>Dots with a number are the strategies of the table; the line is adaptive over its values. Kept: solved runs that were let
run until they passed. Saved: iterations that were not made, of all there were.</p>
</body>
</html>
`;
}

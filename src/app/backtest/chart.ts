// Pictures of a backtest as SVG. Every text in them is escaped: names of strategies and sources come from anywhere.
import { plain } from "#spec/text";
import type { Bin } from "./statistics.ts";

export function escaped(text: string): string {
  return plain(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export interface Point {
  /** Shares 0..1. */
  readonly saved: number;
  readonly kept: number;
  /** Stands in the dot. */
  readonly mark: string;
  readonly title: string;
}

const [WIDTH, HEIGHT] = [640, 400];
const MARGIN = { left: 56, right: 20, top: 16, bottom: 44 };

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

const place = ({ from, to }: Scale, value: number): number => (value - from) / (to - from || 1);
const across = (scale: Scale, value: number): string =>
  (MARGIN.left + place(scale, value) * (WIDTH - MARGIN.left - MARGIN.right)).toFixed(1);
const up = (scale: Scale, value: number): string =>
  (HEIGHT - MARGIN.bottom - place(scale, value) * (HEIGHT - MARGIN.top - MARGIN.bottom)).toFixed(1);

/** Ticks at round numbers, at most ten of them. */
function scaled(from: number, to: number): Scale {
  const step =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((each) => (to - from) / each <= 10) ?? 0.5;
  const low = Math.floor(from / step + 1e-9) * step;
  const high = Math.max(low + step, Math.ceil(to / step - 1e-9) * step);
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, at) => low + at * step);
  return { from: low, to: high, ticks };
}

const shown = (share: number): string => `${Number((100 * share).toFixed(1))} %`;

function frame(x: Scale, y: Scale, titles: { readonly x: string; readonly y: string }): string {
  const below = HEIGHT - MARGIN.bottom;
  const vertical = x.ticks.map(
    (tick) =>
      `<line class="grid" x1="${across(x, tick)}" x2="${across(x, tick)}" y1="${MARGIN.top}" y2="${below}"/><text x="${across(x, tick)}" y="${below + 16}" text-anchor="middle">${shown(tick)}</text>`,
  );
  const level = y.ticks.map(
    (tick) =>
      `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${up(y, tick)}" y2="${up(y, tick)}"/><text x="${MARGIN.left - 6}" y="${up(y, tick)}" dy="4" text-anchor="end">${shown(tick)}</text>`,
  );
  const names = `<text x="${WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escaped(titles.x)}</text><text transform="translate(12 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escaped(titles.y)}</text>`;
  return [...vertical, ...level, names].join("\n");
}

const svg = (label: string, body: string): string =>
  `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(label)}">\n${body}\n</svg>`;

const line = (kind: string, points: readonly (readonly [string, string])[]): string =>
  `<polyline class="${kind}" points="${points.map((point) => point.join(",")).join(" ")}"/>`;

/** Solved runs kept against iterations saved: the further up and to the right, the better. */
export function keptAgainstSaved(points: readonly Point[], curve: readonly Point[]): string {
  const all = [...points, ...curve];
  const x = scaled(0, Math.max(0.1, ...all.map(({ saved }) => saved)));
  const y = scaled(Math.min(0.95, ...all.map(({ kept }) => kept)), 1);
  const at = ({ saved, kept }: Point) => [across(x, saved), up(y, kept)] as const;
  const dots = curve.map((point) => {
    const [left, top] = at(point);
    return `<circle class="value" cx="${left}" cy="${top}" r="3"><title>${escaped(point.title)}</title></circle><text class="small" x="${left}" y="${top}" dx="5" dy="12">${escaped(point.mark)}</text>`;
  });
  const marks = points.map((point) => {
    const [left, top] = at(point);
    return `<g><title>${escaped(point.title)}</title><circle class="strategy" cx="${left}" cy="${top}" r="9"/><text class="mark" x="${left}" y="${top}" dy="4" text-anchor="middle">${escaped(point.mark)}</text></g>`;
  });
  const titles = { x: "iterations saved", y: "solved runs kept" };
  const body = [frame(x, y, titles), line("value", curve.map(at)), ...dots, ...marks].join("\n");
  return svg("solved runs kept against iterations saved", body);
}

/** Chances told against what came: on the line they are right. */
export function calibrationPicture(
  series: readonly { readonly mark: string; readonly bins: readonly Bin[] }[],
): string {
  const all = series.flatMap(({ bins }) => bins.flatMap(({ told, came }) => [told, came]));
  const scale = scaled(0, Math.max(0.05, ...all));
  const corner = [scale.from, scale.to].map((end) => [across(scale, end), up(scale, end)] as const);
  const drawn = series.flatMap(({ mark, bins }) => [
    line(
      "value",
      bins.map(({ told, came }) => [across(scale, told), up(scale, came)] as const),
    ),
    ...bins.map(
      ({ told, came, count }) =>
        `<circle class="strategy" cx="${across(scale, told)}" cy="${up(scale, came)}" r="4"><title>${escaped(`${mark}: told ${shown(told)}, came ${shown(came)}, ${count} times`)}</title></circle>`,
    ),
  ]);
  const titles = { x: "chance told that the next iteration passes", y: "share that passed" };
  return svg(
    "chances told against what came",
    [frame(scale, scale, titles), line("right", corner), ...drawn].join("\n"),
  );
}

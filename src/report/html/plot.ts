// SVG plot with two axes: maps values to coordinates and draws grid, ticks and labels.
import { type Child, type Html, html } from "./html.ts";

export interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly name: string }[];
}

export interface Plot {
  across(value: number): string;
  up(value: number): string;
  /** A line through the points. */
  line(kind: string, points: readonly (readonly [number, number])[]): Html;
  /** The complete picture: grid and axes, with the body drawn over them. */
  svg(body: Child): Html;
}

export interface PlotOptions {
  readonly width: number;
  readonly height: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly label: string;
  readonly titles: { readonly x: string; readonly y?: string };
}

const MARGIN = { right: 20, top: 16, bottom: 44 };

const fractionOf = ({ from, to }: Scale, value: number): number => (value - from) / (to - from || 1);

export const percentTick = (at: number) => ({ at, name: `${Number((100 * at).toFixed(1))}%` });

/** A scale for shares, with at most ten steps at round numbers. */
export function shareScale(from: number, to: number): Scale {
  const step =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].find((each) => (to - from) / each <= 10) ?? 0.5;
  const low = Math.floor(from / step + 1e-9) * step;
  const high = Math.max(low + step, Math.ceil(to / step - 1e-9) * step);
  const ticks = Array.from({ length: Math.round((high - low) / step) + 1 }, (_, at) =>
    percentTick(low + at * step),
  );
  return { from: low, to: high, ticks };
}

export function plotOf({ width, height, x, y, label, titles }: PlotOptions): Plot {
  const left = titles.y === undefined ? 44 : 62;
  const below = height - MARGIN.bottom;
  const across = (value: number) => (left + fractionOf(x, value) * (width - left - MARGIN.right)).toFixed(1);
  const up = (value: number) => (below - fractionOf(y, value) * (below - MARGIN.top)).toFixed(1);
  const frame = () => [
    ...x.ticks.map(
      ({ at, name }) =>
        html`<line class="grid" x1="${across(at)}" x2="${across(at)}" y1="${MARGIN.top}" y2="${below}"/><text x="${across(at)}" y="${below + 16}" text-anchor="middle">${name}</text>
`,
    ),
    ...y.ticks.map(
      ({ at, name }) =>
        html`<line class="grid" x1="${left}" x2="${width - MARGIN.right}" y1="${up(at)}" y2="${up(at)}"/><text x="${left - 6}" y="${up(at)}" dy="4" text-anchor="end">${name}</text>
`,
    ),
    html`<text x="${(left + width) / 2}" y="${height - 6}" text-anchor="middle">${titles.x}</text>`,
    titles.y !== undefined &&
      html`<text transform="translate(12 ${height / 2}) rotate(-90)" text-anchor="middle">${titles.y}</text>`,
  ];
  return {
    across,
    up,
    line: (kind, points) =>
      html`<polyline class="${kind}" points="${points.map(([at, value]) => `${across(at)},${up(value)}`).join(" ")}"/>`,
    svg: (body) =>
      html`<div class="picture"><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
${frame()}
${body}
</svg></div>`,
  };
}

// Charts of a backtest as SVG.

import { type Html, html } from "#report/html/html";
import { plotOf, shareScale } from "#report/html/plot";
import { share } from "#text/format";
import type { Bin } from "./statistics.ts";

export interface Point {
  /** Shares 0..1. */
  readonly saved: number;
  readonly kept: number;
  /** Text inside the dot. */
  readonly mark: string;
  readonly title: string;
}

const SIZE = { width: 960, height: 420 };
/** Minimum distance between labels, in pixels. */
const MIN_LABEL_DISTANCE = 26;

/** Solved runs kept against iterations saved: up and to the right is better. */
export function keptAgainstSaved(points: readonly Point[], curve: readonly Point[]): Html {
  const all = [...points, ...curve];
  const { across, up, line, svg } = plotOf({
    ...SIZE,
    x: shareScale(0, Math.max(0.1, ...all.map(({ saved }) => saved))),
    y: shareScale(Math.min(0.95, ...all.map(({ kept }) => kept)), 1),
    label: "solved runs kept against iterations saved",
    titles: { x: "iterations saved", y: "solved runs kept" },
  });
  const labels: [number, number][] = points.map(({ saved, kept }) => [
    Number(across(saved)),
    Number(up(kept)),
  ]);
  // Skip a label that would overlap another one; the dot has a tooltip.
  const labelOf = ({ mark }: Point, left: number, top: number): Html | undefined => {
    if (labels.some(([x, y]) => Math.hypot(x - left, y - top) < MIN_LABEL_DISTANCE)) return undefined;
    labels.push([left, top]);
    return html`<text class="small" x="${left}" y="${top}" dx="5" dy="-7">${mark}</text>`;
  };
  const dots = curve.map((point) => {
    const [left, top] = [Number(across(point.saved)), Number(up(point.kept))];
    return html`<circle class="value" cx="${left}" cy="${top}" r="3"><title>${point.title}</title></circle>${labelOf(point, left, top)}`;
  });
  const marks = points.map(({ saved, kept, mark, title }) => {
    const [left, top] = [across(saved), up(kept)];
    return html`<g><title>${title}</title><circle class="strategy" cx="${left}" cy="${top}" r="9"/><text class="mark" x="${left}" y="${top}" dy="4" text-anchor="middle">${mark}</text></g>`;
  });
  const curveLine = line(
    "value",
    curve.map(({ saved, kept }) => [saved, kept]),
  );
  return svg([curveLine, ...dots, ...marks]);
}

/** Predicted chances against outcomes: points on the line are well calibrated. */
export function calibrationPicture(
  series: readonly { readonly mark: string; readonly bins: readonly Bin[] }[],
): Html {
  const all = series.flatMap(({ bins }) => bins.flatMap(({ told, came }) => [told, came]));
  const scale = shareScale(0, Math.max(0.05, ...all));
  const { across, up, line, svg } = plotOf({
    ...SIZE,
    x: scale,
    y: scale,
    label: "predicted chance against outcome",
    titles: { x: "predicted chance that the next iteration passes", y: "share that passed" },
  });
  const shapes = series.flatMap(({ mark, bins }) => [
    line(
      "value",
      bins.map(({ told, came }) => [told, came]),
    ),
    ...bins.map(
      ({ told: predicted, came: passed, count }) =>
        html`<circle class="strategy" cx="${across(predicted)}" cy="${up(passed)}" r="4"><title>${mark}: predicted ${share(predicted)}, passed ${share(passed)}, ${count} times</title></circle>`,
    ),
  ]);
  const diagonal = line("right", [
    [scale.from, scale.from],
    [scale.to, scale.to],
  ]);
  return svg([diagonal, ...shapes]);
}

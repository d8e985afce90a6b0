// Formats values for the terminal, with the forms of #text/format. Symbols default to Unicode; pass the style's glyphs where
// ASCII may be needed.
import type { Failing, Trend } from "#spec/progress";
import type { VerdictStatus } from "#spec/verdict";
import { sparkline as curve, money as dollars, formatFailing } from "#text/format";
import { type Glyphs, UNICODE } from "./glyphs.ts";
import { beginning, width } from "./width.ts";

export { ago, amount, clock, counted, duration, moment, percent as score, testFraction } from "#text/format";

/** An unknown cost is a dash, never zero. */
export const money = (usd: number | undefined, glyphs: Glyphs = UNICODE): string =>
  dollars(usd, glyphs.unknown);

export const sparkline = (scores: readonly number[], columns: number, glyphs: Glyphs = UNICODE): string =>
  curve(scores, columns, glyphs.levels);

/** "4 → 3 failing" */
export const failing = (value: Failing, glyphs: Glyphs = UNICODE): string => formatFailing(value, glyphs.to);

/** "↗ improving" */
export const trend = (value: Trend, glyphs: Glyphs = UNICODE): string => `${glyphs.trend[value]} ${value}`;

export const mark = (status: VerdictStatus, glyphs: Glyphs = UNICODE): string => glyphs.status[status];

/** Truncates by display width. */
export function fitted(text: string, columns: number, glyphs: Glyphs = UNICODE): string {
  if (width(text) <= columns) return text;
  const sign = beginning(glyphs.ellipsis, columns);
  return beginning(text, columns - sign.length) + sign;
}

/** Pads with spaces by display width; wider text stays unchanged. */
export const pad = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)));

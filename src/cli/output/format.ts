// Formats values for people. Symbols default to Unicode; pass the style's glyphs where ASCII may be needed.
import type { Failing, Trend } from "#spec/progress";
import type { VerdictStatus } from "#spec/verdict";
import { counted, sparkline as curve, money as dollars, formatFailing } from "#text/format";
import { type Glyphs, UNICODE } from "./glyphs.ts";
import { beginning, width } from "./width.ts";

export { amount, counted, duration, percent, score, testFraction } from "#text/format";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (value: number): string => String(value).padStart(2, "0");

/** Time of day in the local time zone. */
export function clock(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Date and time in the local time zone. */
export function moment(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(time)}`;
}

export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (Number.isNaN(ms)) return "at an unknown time";
  if (ms < MINUTE) return "just now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${counted(Math.floor(ms / DAY), "day")} ago`;
}

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

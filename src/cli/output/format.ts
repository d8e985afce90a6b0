// Values as people read them. Signs default to Unicode; pass the style's glyphs where ASCII may be needed.
import type { Trend } from "#spec/progress";
import type { TestCounts, VerdictStatus } from "#spec/verdict";
import { type Glyphs, UNICODE } from "./glyphs.ts";
import { beginning, width } from "./width.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (value: number): string => String(value).padStart(2, "0");

/** "0.4s", "4s", "3m 12s", "2h 05m" */
export function duration(ms: number): string {
  if (!(ms > 0)) return "0s";
  if (ms < SECOND) return `${Math.max(1, Math.floor(ms / 100)) / 10}s`;
  const seconds = Math.floor(ms / SECOND);
  if (ms < MINUTE) return `${seconds}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${two(seconds % 60)}s`;
  return `${Math.floor(ms / HOUR)}h ${two(Math.floor(ms / MINUTE) % 60)}m`;
}

/** The time of day where the reader is. */
export function clock(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Day and time where the reader is. */
export function moment(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(time)}`;
}

/** "1 file", "3 files" */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (Number.isNaN(ms)) return "at an unknown time";
  if (ms < MINUTE) return "just now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${counted(Math.floor(ms / DAY), "day")} ago`;
}

/** Unknown is a dash, never zero. */
export function money(usd: number | undefined, glyphs: Glyphs = UNICODE): string {
  if (usd === undefined || !Number.isFinite(usd)) return glyphs.unknown;
  return usd > 0 && usd < 0.005 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** "950", "9.5k", "132k", "1.2M" */
export function amount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

// Rounded down: only what is complete may look complete.
const down = (value: number, steps: number): number => Math.floor(value * steps + 1e-9);

export const percent = (share: number): string => `${down(share, 100)}%`;

export const score = (value: number): string => (down(value, 100) / 100).toFixed(2);

export const fraction = (tests: TestCounts): string => `${tests.passed}/${tests.total}`;

/** The newest `columns` scores on a fixed scale from 0 to 1; only a full score reaches the top. */
export function sparkline(scores: readonly number[], columns: number, glyphs: Glyphs = UNICODE): string {
  const levels = [...glyphs.levels];
  const top = levels.length - 1;
  const newest = columns > 0 ? scores.slice(-columns) : [];
  return newest.map((value) => levels[Math.max(0, Math.min(top, down(value, top))) || 0]).join("");
}

/** "↗ improving" */
export const trend = (value: Trend, glyphs: Glyphs = UNICODE): string => `${glyphs.trend[value]} ${value}`;

export const mark = (status: VerdictStatus, glyphs: Glyphs = UNICODE): string => glyphs.status[status];

/** Cut by display width. */
export function fitted(text: string, columns: number, glyphs: Glyphs = UNICODE): string {
  if (width(text) <= columns) return text;
  const sign = beginning(glyphs.ellipsis, columns);
  return beginning(text, columns - sign.length) + sign;
}

/** Filled up with spaces by display width; what is wider stays as it is. */
export const pad = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)));

// Formats values for terminal, page and report.

import type { Failing } from "#spec/progress";
import { ranTests, type TestCounts } from "#spec/verdict";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** "0.4s", "4s", "3m 12s", "2h 05m" */
export function duration(ms: number): string {
  if (!(ms > 0)) return "0s";
  if (ms < SECOND) return `${Math.max(1, Math.floor(ms / 100)) / 10}s`;
  const seconds = Math.floor(ms / SECOND);
  if (ms < MINUTE) return `${seconds}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${twoDigits(seconds % 60)}s`;
  return `${Math.floor(ms / HOUR)}h ${twoDigits(Math.floor(ms / MINUTE) % 60)}m`;
}

/** "1 file", "3 files" */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** An unknown amount is a dash, never zero. */
export function money(usd: number | undefined, unknown = "–"): string {
  if (usd === undefined || !Number.isFinite(usd)) return unknown;
  return usd > 0 && usd < 0.005 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** "950", "9.5k", "132k", "1.2M" */
export function amount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** "1603/1610": passing tests of those that ran. Skipped tests are in neither number. */
export const testFraction = (tests: TestCounts): string => `${tests.passed}/${ranTests(tests)}`;

/** "4 → 3 failing", "3 failing, as before" or "3 failing" */
export function formatFailing({ now, before }: Failing, arrow = "→"): string {
  if (before === undefined) return `${now} failing`;
  return before === now ? `${now} failing, as before` : `${before} ${arrow} ${now} failing`;
}

// Rounds down: only a complete value may look complete.
const roundDown = (value: number, steps: number): number => Math.floor(value * steps + 1e-9);

export const percent = (share: number): string => `${roundDown(share, 100)}%`;

export const score = (value: number): string => (roundDown(value, 100) / 100).toFixed(2);

/** A measured share as a percentage: "97.3 %". */
export const share = (value: number | undefined, digits = 1): string =>
  value === undefined ? "–" : `${(100 * value).toFixed(digits)} %`;

/** A probability; below 10 % with one more digit: "4.2 %", "37 %". */
export const likelihood = (value: number): string => share(value, value < 0.1 ? 1 : 0);

/** Draws the newest `columns` scores on a fixed scale from 0 to 1; only a full score reaches the top. */
export function sparkline(scores: readonly number[], columns: number, signs = "▁▂▃▄▅▆▇█"): string {
  const levels = [...signs];
  const top = levels.length - 1;
  const newest = columns > 0 ? scores.slice(-columns) : [];
  return newest.map((value) => levels[Math.max(0, Math.min(top, roundDown(value, top))) || 0]).join("");
}

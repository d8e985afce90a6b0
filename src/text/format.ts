// How terminal, page and report write numbers and times. One form each:
//   95%      no space, as test runners print it. Rounded down, so nothing looks better than it is; what is not all is
//            never 100%, what is not nothing is never 0%.
//   3m 12s   the units of the task file (`time: 2h`), at most two, narrow enough for a column. Also "3m ago".
//   $0.42    two digits; "<$0.01" for less. An unknown amount is a dash, never zero.
//   9.5k     counts of tokens, which are large; everything else is counted in full.
//   1.2 MB   decimal, as disks and downloads are labelled.
//   2030-01-02 14:03   the reader's time zone, sortable, the same in every locale. A report, which travels, has UTC.
import type { Failing } from "#spec/progress";
import { ranTests, type TestCounts } from "#spec/verdict";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Stands for a value that nobody reported. */
export const UNKNOWN = "–";

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** "0.4s", "4s", "3m 12s", "2h 05m", "1d 02h" */
export function duration(ms: number): string {
  if (!(ms > 0)) return "0s";
  if (ms < SECOND) return `${Math.max(1, Math.floor(ms / 100)) / 10}s`;
  const seconds = Math.floor(ms / SECOND);
  if (ms < MINUTE) return `${seconds}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ${twoDigits(seconds % 60)}s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h ${twoDigits(Math.floor(ms / MINUTE) % 60)}m`;
  return `${Math.floor(ms / DAY)}d ${twoDigits(Math.floor(ms / HOUR) % 24)}h`;
}

/** "just now", "3m ago", "2h ago", "5d ago" */
export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (Number.isNaN(ms)) return "at an unknown time";
  if (ms < MINUTE) return "just now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m ago`;
  return ms < DAY ? `${Math.floor(ms / HOUR)}h ago` : `${Math.floor(ms / DAY)}d ago`;
}

/** Time of day in the local time zone: "14:03". */
export function clock(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/** Date and time in the local time zone: "2030-01-02 14:03". */
export function moment(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${clock(time)}`;
}

/** Date and time for readers in other time zones: "2030-01-02 14:03:00 UTC". */
export const utcMoment = (time: string): string => time.replace("T", " ").replace(/\.\d+Z$/, " UTC");

/** "1 file", "3 files" */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

export function money(usd: number | undefined, unknown = UNKNOWN): string {
  if (usd === undefined || !Number.isFinite(usd)) return unknown;
  return usd > 0 && usd < 0.005 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** "950", "9.5k", "132k", "1.2M" */
export function amount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** "950 B", "12.3 kB", "1.2 MB" */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 999_950) return `${(count / 1000).toFixed(1)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** "1603/1610": passing tests of those that ran. Skipped tests are in neither number. */
export const testFraction = (tests: TestCounts): string => `${tests.passed}/${ranTests(tests)}`;

/** "4 → 3 failing", "3 failing, as before" or "3 failing" */
export function formatFailing({ now, before }: Failing, arrow = "→"): string {
  if (before === undefined) return `${now} failing`;
  return before === now ? `${now} failing, as before` : `${before} ${arrow} ${now} failing`;
}

const roundDown = (value: number, steps: number): number => Math.floor(value * steps + 1e-9);

/** A share in percent, rounded down; "<0.1%" when that would leave nothing of it. */
function formatShare(share: number, digits: number): string {
  const steps = 10 ** digits;
  const rounded = roundDown(share, 100 * steps) / steps;
  return share > 0 && rounded === 0 ? `<${(1 / steps).toFixed(digits)}%` : `${rounded.toFixed(digits)}%`;
}

/** "95%": scores, confidences and shares of time. */
export const percent = (share: number): string => (share > 0 && share < 0.01 ? "1%" : formatShare(share, 0));

/** A measured share: "97.3%". */
export const share = (value: number | undefined, digits = 1): string =>
  value === undefined ? UNKNOWN : formatShare(value, digits);

/** A probability; below 10% with one more digit: "4.2%", "37%". */
export const likelihood = (value: number): string => formatShare(value, value > 0 && value < 0.1 ? 1 : 0);

/** Draws the newest `columns` scores on a fixed scale from 0 to 1; only a full score reaches the top. */
export function sparkline(scores: readonly number[], columns: number, signs = "▁▂▃▄▅▆▇█"): string {
  const levels = [...signs];
  const top = levels.length - 1;
  const newest = columns > 0 ? scores.slice(-columns) : [];
  return newest.map((value) => levels[Math.max(0, Math.min(top, roundDown(value, top))) || 0]).join("");
}

// Numbers, times and names as people read them.
import type { StateWord, Summary } from "#spec/overview";

/** 0.954 → "95 %"; what is not all is never shown as all, nor what is not nothing as nothing. */
export function percent(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 100 && share < 1) return "99 %";
  if (rounded === 0 && share > 0) return "1 %";
  return `${rounded} %`;
}

/** 0.0123 → "1.2 %": for chances, where a tenth of a percent says something. */
export function chance(share: number): string {
  const value = share * 100;
  return value > 0 && value < 10 ? `${value.toFixed(1)} %` : `${Math.round(value)} %`;
}

/** "3 failing", or the share that passes where no gate counts what fails. */
export function level({ failing, score }: Pick<Summary, "failing" | "score">): string {
  if (failing) return `${failing.now} failing`;
  return score === undefined ? "–" : percent(score);
}

/** "4 → 3 failing", or as a share where no gate counts what fails; what is unknown is a dash. */
export function standing({ failing, score }: Pick<Summary, "failing" | "score">): string {
  if (!failing) return score === undefined ? "–" : percent(score);
  const { now, before = now } = failing;
  return before === now ? `${now} failing` : `${before} → ${now} failing`;
}

/** The state as people read it. The API keeps the outcome's name: a run that hit a limit while it got better has not diverged. */
export const stateName = (state: StateWord): string => (state === "diverged" ? "not solved" : state);

export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return "under $0.01";
  return `$${dollars.toFixed(2)}`;
}

export function count(number: number): string {
  if (number < 10_000) return String(Math.round(number));
  if (number < 1_000_000) return `${(number / 1000).toFixed(number < 100_000 ? 1 : 0)}k`;
  return `${(number / 1_000_000).toFixed(number < 100_000_000 ? 1 : 0)}M`;
}

export function bytes(number: number): string {
  if (number < 1024) return `${number} B`;
  if (number < 1024 * 1024) return `${(number / 1024).toFixed(1)} kB`;
  return `${(number / 1024 / 1024).toFixed(1)} MB`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  const [big, small, names] =
    ms < HOUR
      ? ([MINUTE, SECOND, ["min", "s"]] as const)
      : ms < DAY
        ? ([HOUR, MINUTE, ["h", "min"]] as const)
        : ([DAY, HOUR, ["d", "h"]] as const);
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)} ${names[0]}${rest === 0 ? "" : ` ${rest} ${names[1]}`}`;
}

/** How long ago, in one unit. */
export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (!Number.isFinite(ms)) return "";
  if (ms < 10 * SECOND) return "just now";
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  const days = Math.floor(ms / DAY);
  return days === 1 ? "yesterday" : `${days} days ago`;
}

/** Date and time, as the reader's system writes them. */
export function moment(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString();
}

/** The last part of a path: what people know a folder by. */
export function baseName(path: string): string {
  return (
    path
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) || path
  );
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

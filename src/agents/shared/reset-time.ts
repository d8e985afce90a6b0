// Parses how long a service asks to wait from its error message.
import { instantIn, type LocalTime, localTimeIn } from "./zoned-time.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The longest vendor limit is a week; anything longer is a misreading. */
const MAX_WAIT_MS = 8 * DAY;

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/i, 1],
  [/^s/i, SECOND],
  [/^m/i, MINUTE],
  [/^h/i, HOUR],
  [/^d/i, DAY],
];

const PART =
  /^[\s,]*(?:and\s+)?(\d+(?:\.\d+)?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])/i;

/** Parses "2 days 3 hours 5 minutes", "1h20m", "1.5s", "250ms". */
function spanMs(words: string): number | undefined {
  let total: number | undefined;
  let rest = words;
  for (let part = PART.exec(rest); part; part = PART.exec(rest)) {
    const unit = UNITS.find(([name]) => name.test(part?.[2] ?? ""))?.[1] ?? 0;
    total = (total ?? 0) + Number(part[1]) * unit;
    rest = rest.slice(part[0].length);
  }
  return total;
}

/** Parses "1760000000" (seconds or milliseconds since 1970), "2026-10-21T07:28:00Z", "Wed, 21 Oct 2026 07:28:00 GMT". */
function momentMs(words: string, now: Date): number | undefined {
  const stamp = /^(\d{10})(?:\d{3})?\b/.exec(words)?.[1];
  const iso = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?/i.exec(words)?.[0];
  const http = /^(?:\w{3}, )?\d{1,2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT/.exec(words)?.[0];
  const at = stamp ? Number(stamp) * SECOND : Date.parse(iso ?? http ?? "");
  return Number.isNaN(at) ? undefined : at - now.getTime();
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DATE = /^([A-Z][a-z]{2})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?(?:,|\s+at)?\s*/;
const CLOCK = /^(?:(\d{1,2})\s*(am|pm)|(\d{1,2}):(\d{2})(?::\d{2})?\s*(am|pm)?)(?![a-z\d])\s*/i;
const ZONE = /^\(([A-Za-z_+\-/\d]{2,40})\)/;

/** Undefined for an invalid time of day. */
function timeOf(found: RegExpExecArray): Pick<LocalTime, "hour" | "minute"> | undefined {
  const hour = Number(found[1] ?? found[3]);
  const minute = Number(found[4] ?? 0);
  const half = (found[2] ?? found[5])?.toLowerCase();
  if (minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return undefined;
  return { hour: half === undefined ? hour : (hour % 12) + (half === "pm" ? 12 : 0), minute };
}

/** Parses "3pm (Europe/Berlin)", "15:30", "Oct 9, 5pm", "Aug 8th, 2026 12:30 PM", "Aug 18" as the next such time. */
function clockMs(words: string, now: Date): number | undefined {
  const date = DATE.exec(words);
  const month = date ? MONTHS.indexOf((date[1] ?? "").toLowerCase()) : -1;
  const rest = date ? words.slice(date[0].length) : words;
  const clock = CLOCK.exec(rest);
  const time = clock ? timeOf(clock) : date ? { hour: 0, minute: 0 } : undefined;
  if (!time || (date && month < 0)) return undefined;
  const zone = ZONE.exec(clock ? rest.slice(clock[0].length) : rest)?.[1];
  const today = localTimeIn(zone, now);
  if (date) {
    const day = { year: Number(date[3] ?? today.year), month, day: Number(date[2]) };
    return instantIn(zone, { ...day, ...time }) - now.getTime();
  }
  const wait = instantIn(zone, { ...today, ...time }) - now.getTime();
  return wait > 0 ? wait : instantIn(zone, { ...today, day: today.day + 1, ...time }) - now.getTime();
}

function numberIn(words: string): number | undefined {
  const bare = /^(\d+(?:\.\d+)?)(?![\d.]*[a-z:\d])/i.exec(words)?.[1];
  return bare === undefined ? undefined : Number(bare);
}

/** A bare number is in seconds, and only after a header name. */
function secondsMs(words: string): number | undefined {
  const seconds = numberIn(words);
  return seconds === undefined ? undefined : seconds * SECOND;
}

type Read = (words: string, now: Date) => number | undefined;

const CUES: readonly (readonly [RegExp, readonly Read[]])[] = [
  [/retry[-_ ]?after[-_ ]?ms["']?\s*[:=]?\s*["']?/gi, [numberIn]],
  [/retry[-_ ]?(?:after|delay)["']?\s*[:=]?\s*["']?/gi, [momentMs, spanMs, secondsMs]],
  [/(?:try|retry)(?:ing)?(?: again)? (?:(?:at|in|after|on)\s+)?/gi, [momentMs, spanMs, clockMs]],
  [/resets?(?:_?at)?["']?(?:\s+(?:at|in|after|on))?\s*[:=]?\s*/gi, [momentMs, spanMs, clockMs]],
  [/limit reached\|/gi, [momentMs]],
];

/** Undefined for a time in the past, or too far in the future. */
export function validWait(ms: number): number | undefined {
  return ms > 0 && ms <= MAX_WAIT_MS ? Math.ceil(ms) : undefined;
}

/** Undefined when the text has no valid time to wait. */
export function retryAfterMs(text: string, now: Date): number | undefined {
  for (const [cue, readings] of CUES)
    for (const { 0: found, index } of text.slice(0, 10_000).matchAll(cue)) {
      const words = text.slice(index + found.length, index + found.length + 60);
      const wait = readings.map((read) => read(words, now)).find((ms) => ms !== undefined);
      const validMs = wait === undefined ? undefined : validWait(wait);
      if (validMs !== undefined) return validMs;
    }
  return undefined;
}

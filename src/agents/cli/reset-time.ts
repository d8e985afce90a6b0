// How long a service asks to wait, from the words it says it with.

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DAY_MS = 86_400_000;
const LONGEST_MS = 8 * DAY_MS;

/** "1 day 2 hours 5 minutes", "1h20m", "5.5s", "30 seconds", "250ms" */
const SPAN = /(\d+(?:\.\d+)?)\s*(ms|millisecond|d|h|m|s)[a-z]*/gi;

function spanMs(text: string): number | undefined {
  const parts = [...text.matchAll(SPAN)].map(([, amount, unit]) => {
    const name = (unit ?? "").toLowerCase();
    return Number(amount) * (UNITS[name === "millisecond" ? "ms" : name] ?? 0);
  });
  return parts.length === 0 ? undefined : parts.reduce((total, part) => total + part, 0);
}

function clockMs(text: string, now: Date): number | undefined {
  const found = /^\s*(\d{1,2})(?::(\d{2}))?\s*(am|pm)?\b/i.exec(text);
  if (!found || (found[2] === undefined && found[3] === undefined)) return undefined;
  const hour = Number(found[1]);
  const half = found[3]?.toLowerCase();
  const at = new Date(now);
  at.setHours(
    half === undefined ? hour : (hour % 12) + (half === "pm" ? 12 : 0),
    Number(found[2] ?? 0),
    0,
    0,
  );
  const wait = at.getTime() - now.getTime();
  return wait > 0 ? wait : wait + DAY_MS;
}

/** A point in time: seconds or milliseconds since 1970, or in ISO form. */
function momentMs(text: string, now: Date): number | undefined {
  const stamp = /^\s*(\d{10})(\d{3})?\b/.exec(text);
  const iso = /^\s*\d{4}-\d{2}-\d{2}[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?/.exec(text)?.[0];
  const at = stamp ? Number(stamp[1]) * 1000 : iso ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? undefined : at - now.getTime();
}

const PHRASES: readonly RegExp[] = [
  /retry[-_ ]?after(?:[-_ ]?(ms))?["']?\s*[:=]?\s*["']?([^"'\n]{1,60})/i,
  /(?:try|retry) again (?:()at|()in|()after)\s+([^\n]{1,60})/i,
  /(?:reset|retry)s?(?:\s+(?:at|in|after))?\s*:?\s+([^\n]{1,60})/i,
  /limit reached\|([^\n]{1,60})/i,
];

function waitIn(words: string, now: Date): number | undefined {
  const bare = /^\s*(\d+(?:\.\d+)?)\s*(?:$|[,;)\]}.]?\s*$)/.exec(words);
  const moment = momentMs(words, now);
  if (moment !== undefined) return moment;
  if (bare) return Number(bare[1]) * 1000;
  return spanMs(words.split(/[.,;)\]]\s|[)\]]$/)[0] ?? "") ?? clockMs(words, now);
}

/** Undefined when it does not say, or says nothing that makes sense. */
export function retryAfterMs(text: string, now: Date): number | undefined {
  for (const phrase of PHRASES) {
    const found = phrase.exec(text);
    const words = found?.at(-1);
    if (words === undefined) continue;
    const wait = found?.[1] === "ms" ? Number.parseFloat(words) : waitIn(words, now);
    if (wait !== undefined && wait > 0 && wait <= LONGEST_MS) return Math.ceil(wait);
  }
  return undefined;
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "#agents/shared/reset-time";

const NOW = new Date("2026-11-16T12:00:00Z");
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const until = (at: Date) => at.getTime() - NOW.getTime();
/** Milliseconds until the local clock next shows this time. */
const next = (hour: number, minute = 0) => {
  const wait = until(new Date(new Date(NOW).setHours(hour, minute)));
  return wait > 0 ? wait : wait + DAY;
};

describe("parsing how long to wait", () => {
  it.each([
    // Berlin is an hour ahead of UTC in November: 3pm there is two hours away.
    ["You've hit your limit · resets 3pm (Europe/Berlin)", 2 * HOUR],
    ["You've hit your session limit · resets 1:30am (Asia/Dhaka)", 7.5 * HOUR],
    ["You've hit your limit · resets 8pm (Australia/Sydney)", 21 * HOUR],
    ["You've hit your session limit · resets Nov 18, 12am (UTC)", 36 * HOUR],
    ["You've hit your weekly limit · resets Nov 18, 2026, 5pm (America/New_York)", 2 * DAY + 10 * HOUR],
    ["Claude AI usage limit reached|1794830405", 5 * SECOND],
    ["Claude AI usage limit reached|1794830405000", 5 * SECOND],
    [
      "You've hit your usage limit. To get more access now, send a request to your admin or try again in 2 days 3 hours 5 minutes.",
      2 * DAY + 3 * HOUR + 5 * MINUTE,
    ],
    [
      "Rate limit reached for gpt-5 on tokens per min. Please try again in 1.5s. Visit https://platform.openai.com/account/rate-limits",
      1.5 * SECOND,
    ],
    ["Please try again in 6m0s.", 6 * MINUTE],
    ["Please try again in 20ms.", 20],
    ["try again in 1 hour and 5 minutes", HOUR + 5 * MINUTE],
    ["Your quota will reset after 5h30m20s.", 5 * HOUR + 30 * MINUTE + 20 * SECOND],
    ["You exceeded your current quota. Please retry in 35.2s.", 35.2 * SECOND],
    ['"retryDelay": "35s"', 35 * SECOND],
    ["429 Too Many Requests (retry-after: 30)", 30 * SECOND],
    ['{"retry-after":"2"}', 2 * SECOND],
    ["Retry-After: Mon, 16 Nov 2026 12:01:00 GMT", MINUTE],
    ["retry-after-ms: 1500", 1_500],
    ["retry_after_ms=250", 250],
    ["retry after 12 seconds", 12 * SECOND],
    ["limit resets at 2026-11-16T13:00:00Z", HOUR],
    ["limit resets at 2026-11-16T13:00:00+01:00 or later, retry-after: 7", 7 * SECOND],
    ["try again later; resets in 4 minutes", 4 * MINUTE],
  ])("%s", (words, wait) => {
    expect(retryAfterMs(words, NOW)).toBe(wait);
  });

  it.each([
    ["5-hour limit reached ∙ resets 11pm", next(23)],
    ["try again at 11:28 PM.", next(23, 28)],
    ["or try again at Nov 18th, 2026 12:30 PM.", until(new Date(2026, 10, 18, 12, 30))],
    ["Try again Nov 18.", until(new Date(2026, 10, 18))],
    ["resets 11pm (Atlantis/Nowhere)", next(23)],
  ])("uses local time without a known zone: %s", (words, wait) => {
    expect(retryAfterMs(words, NOW)).toBe(wait);
  });

  it("counts the extra hour when daylight saving ends", () => {
    const before = new Date("2026-10-24T20:00:00Z");
    expect(retryAfterMs("resets 9am (Europe/Berlin)", before)).toBe(12 * HOUR);
  });

  it.each([
    "This is a server-side issue, usually temporary — try again in a moment.",
    "Please reduce the prompt length, or try again later.",
    "Upgrade your plan, then try again in 3 messages",
    "resets 25:00",
    "resets 13pm",
    "resets 3",
    "resets soon",
    "resets Foo 12, 3pm",
    "try again at Jan 1st, 2099 12:00 AM.",
    "try again at Jan 1st, 2020 12:00 AM.",
    "usage limit reached|1500000000",
    "usage limit reached|99999999999999999999",
    "retry-after: -5",
    "retry-after: 0",
    "retry-after: 12abc",
    "retry-after: 99999999",
    "retry-after: Mon, 99 Foo 2026 12:01:00 GMT",
    "try again in 9 days",
    "try again in 99999999999999999999999999 days",
    "HTTP 429",
    "",
  ])("returns no wait for nonsense: %s", (words) => {
    expect(retryAfterMs(words, NOW)).toBeUndefined();
  });

  it("returns whole milliseconds up to eight days, or nothing, for any text", () => {
    const cues = fc.constantFrom(
      "resets ",
      "try again in ",
      "try again at ",
      "retry-after: ",
      "retry-after-ms: ",
      "limit reached|",
    );
    const words = fc
      .array(fc.constantFrom(..."0123456789:|,.()/ apmdhsZT+-"), { maxLength: 40 })
      .map((c) => c.join(""));
    fc.assert(
      fc.property(cues, fc.oneof(words, fc.string()), (cue, rest) => {
        const wait = retryAfterMs(cue + rest, NOW);
        if (wait === undefined) return;
        expect(Number.isInteger(wait) && wait > 0 && wait <= 8 * DAY).toBe(true);
      }),
    );
  });
});

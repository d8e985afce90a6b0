// Parses durations such as "90s", "1h30m" or a bare number of seconds into milliseconds.
import * as z from "zod";
import { TYPE_NAME } from "./option.ts";
import { show } from "./sentence.ts";

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

// Each unit at most once, from large to small: "30m1h" and "5m5m" are typos.
const PATTERN = /^(?:([\d.]+)d)?(?:([\d.]+)h)?(?:([\d.]+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?$/;

/** A longer duration is a typo, and would overflow Node's timers. */
const MAX_DAYS = 30;

const EXPECTED = "expected a duration like 30s, 5m or 2h";

function milliseconds(value: unknown): number | undefined {
  if (typeof value === "number") return value * 1000;
  if (typeof value !== "string" || value.length > 40) return undefined;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const parts = PATTERN.exec(text)?.slice(1);
  if (parts === undefined || parts.every((part) => part === undefined)) return undefined;
  const sizes = Object.values(UNITS);
  return parts.reduce((sum, part, index) => sum + Number(part ?? 0) * (sizes[index] ?? 0), 0);
}

/** What an editor accepts: a number of seconds, or numbers with units. */
const EDITOR_PATTERN = String.raw`^\s*(\d+(\.\d+)?|(?=[\d.])([\d.]+d)?([\d.]+h)?([\d.]+m)?([\d.]+s)?([\d.]+ms)?)\s*$`;

const written = z.string().meta({ pattern: EDITOR_PATTERN });

function durationFrom(smallest: number, tooSmall: string) {
  return z
    .union([written, z.number()], { error: ({ input }) => `${EXPECTED}, got ${show(input)}` })
    .transform((value, context) => {
      const complain = (message: string) => {
        context.issues.push({ code: "custom", message, input: value });
        return z.NEVER;
      };
      const result = Math.round(milliseconds(value) ?? Number.NaN);
      if (!Number.isFinite(result)) return complain(`${EXPECTED}, got ${show(value)}`);
      if (result < smallest) return complain(`expected a duration ${tooSmall}, got ${show(value)}`);
      if (result > MAX_DAYS * UNITS.d)
        return complain(`expected a duration of at most ${MAX_DAYS} days, got ${show(value)}`);
      return result;
    })
    .meta({ [TYPE_NAME]: "duration" });
}

/** A duration above 0. */
export const duration = durationFrom(1, "longer than 0");

/** A duration that may be 0. */
export const durationOrZero = durationFrom(0, "of 0 or more");

/** Formats milliseconds as a duration that a user would write: "1h30m". */
export function durationText(ms: number): string {
  let left = ms;
  const parts = Object.entries(UNITS).map(([unit, size]) => {
    const whole = Math.floor(left / size);
    left -= whole * size;
    return whole === 0 ? "" : `${whole}${unit}`;
  });
  return parts.join("") || "0s";
}

// Parses sizes such as "500KB", "1.5MB" or a bare number of bytes.
import * as z from "zod";
import { show } from "#options/sentence";

const UNITS: Readonly<Record<string, number>> = { "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9 };

function bytesOf(value: string | number): number {
  if (typeof value === "number") return value;
  const [, digits, unit = ""] =
    /^(\d{1,12}(?:\.\d{1,3})?) ?([A-Z]{0,2})$/.exec(value.trim().toUpperCase()) ?? [];
  return Number(digits) * (UNITS[unit] ?? Number.NaN);
}

export const size = z.union([z.string(), z.number()]).transform((value, context) => {
  const bytes = Math.round(bytesOf(value));
  if (bytes > 0) return bytes;
  context.addIssue({ code: "custom", message: `expected a size like 500KB or 2MB, got ${show(value)}` });
  return z.NEVER;
});

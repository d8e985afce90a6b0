// Waits for a person to decide after each iteration. No process runs in the meantime.
import * as z from "zod";
import { defineStrategy } from "#options/part";
import type { Strategy } from "#spec/strategy";
import { whileRed } from "./shared/while-red.ts";

/** The loop applies the person's decision before it asks any strategy. */
export function manual(): Strategy {
  return whileRed((_run, latest) => ({
    continue: false,
    wait: true,
    reason: `waiting for a person to decide about iteration ${latest.number}`,
    confidence: 1,
  }));
}

export const manualStrategy = defineStrategy({
  type: "manual",
  summary: "Waits for a person to decide after each iteration.",
  options: z.strictObject({}),
  create: () => manual(),
});

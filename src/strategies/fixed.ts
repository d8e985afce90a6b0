// Runs up to the task's iteration limit, unless the gates pass earlier.
import * as z from "zod";
import { type Described, defineStrategy } from "#options/part";
import { count } from "#options/values";
import type { Strategy } from "#spec/strategy";
import { isLastIteration, usedUp } from "./shared/last-iteration.ts";
import { whileRed } from "./shared/while-red.ts";

export function fixed(): Strategy {
  return whileRed((run, { number }) => {
    if (isLastIteration(run)) return usedUp(run);
    const reason = `on to iteration ${number + 1} of ${run.task.limits.iterations}`;
    return { continue: true, reason, confidence: 1 };
  });
}

export const fixedStrategy = defineStrategy({
  type: "fixed",
  summary: "Runs up to a number of iterations, unless the gates pass earlier.",
  options: z.strictObject({ iterations: count(100_000).optional() }),
  traits: {
    needsGates: () => true,
    iterations: ({ iterations }) => (typeof iterations === "number" ? iterations : undefined),
  },
  helper: (iterations: number): Described<"fixed", { readonly iterations?: number }> => ({
    type: "fixed",
    iterations,
  }),
  create: () => fixed(),
});

// Registers the built-in strategies, each with its option schema and factory.
import * as z from "zod";
import { duration } from "#options/duration";
import { show } from "#options/sentence";
import { count, text } from "#options/values";
import type { Strategy } from "#spec/strategy";
import { adaptive, VALUES } from "#strategies/adaptive/adaptive";
import { fixed } from "#strategies/fixed";
import { hybrid } from "#strategies/hybrid";
import { manual } from "#strategies/manual";
import { ralph } from "#strategies/ralph";
import { customStrategy } from "./custom/custom-strategy.ts";
import type { PartContext } from "./part-context.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { folderInside, fraction, given } from "./shared-options.ts";

/** Learned weights, frozen when the run started. */
const weights = z
  .strictObject({
    mean: z.array(z.number()),
    spread: z.array(z.array(z.number())),
    transitions: z.int().min(0),
  })
  .optional();

export function strategies(): Registry<Strategy, PartContext> {
  const registry: Registry<Strategy, PartContext> = createRegistry("strategy");
  registry.register("fixed", {
    options: z.strictObject({ iterations: count(100_000).optional() }),
    create: () => fixed(),
  });
  registry.register("hybrid", {
    options: z.strictObject({
      baseIterations: count(100_000).optional(),
      bonusIterations: z.int().min(0).max(100_000).optional(),
      progressThreshold: fraction.optional(),
      completionCriteria: z
        .array(z.enum(["verification-pass", "ci-pass", "no-changes", "agent-signal"]))
        .optional(),
      minLevel: z.int().min(0).max(3).optional(),
      acceptPartialAfter: count(100_000).optional(),
      signals: z.array(text).optional(),
      loopDetection: z.boolean().optional(),
      weights,
    }),
    create: (options) => hybrid(given(options)),
  });
  registry.register("ralph", {
    options: z.strictObject({
      minIterations: count(100_000).optional(),
      maxIterations: count(100_000).optional(),
      convergenceThreshold: fraction.optional(),
      windowSize: z.int().min(2).max(1000).optional(),
      signals: z.array(text).optional(),
      promise: text.optional(),
      trustSignal: z.boolean().optional(),
      stateDir: folderInside.optional(),
    }),
    create: (options) => ralph(given(options)),
  });
  registry.register("adaptive", {
    options: z.strictObject({
      value: z
        .union([z.enum(Object.keys(VALUES) as (keyof typeof VALUES)[]), z.number().min(1).max(1_000_000)], {
          error: ({ input }) =>
            `expected ${Object.keys(VALUES).join(", ")} or a number from 1 on, got ${show(input)}`,
        })
        .optional(),
      weights,
    }),
    create: (options) => adaptive(given(options)),
  });
  registry.register("manual", { options: z.strictObject({}), create: () => manual() });
  registry.register("custom", {
    options: z.strictObject({
      module: text,
      export: text.optional(),
      config: z.unknown().optional(),
      timeout: duration.optional(),
      hash: text.optional(),
    }),
    create: async ({ timeout, ...options }, { onClose }) => {
      const loaded = await customStrategy(given({ ...options, timeoutMs: timeout }));
      onClose(loaded.close);
      return loaded.strategy;
    },
  });
  return registry;
}

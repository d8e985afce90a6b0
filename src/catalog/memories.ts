// Registers the built-in memories, each with its option schema and factory.
import * as z from "zod";
import { captured } from "#memory/captured";
import { hybrid } from "#memory/hybrid";
import { none } from "#memory/none";
import { structured } from "#memory/structured";
import { summarized } from "#memory/summarized";
import { duration } from "#options/duration";
import { count } from "#options/values";
import type { Memory } from "#spec/memory";
import type { PartContext } from "./part-context.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { given } from "./shared-options.ts";
import { createSummarizer, summarizerOptions } from "./summarizers.ts";

const LONGEST_ENTRY = 4_000;
const entries = count(1000).optional();

const summaryOptions = {
  by: summarizerOptions.optional(),
  timeout: duration.optional(),
  entries,
  chars: count(LONGEST_ENTRY).optional(),
};

export function memories(): Registry<Memory, PartContext> {
  const registry: Registry<Memory, PartContext> = createRegistry("memory");
  registry.register("captured", {
    options: z.strictObject({ entries, chars: count(LONGEST_ENTRY).optional() }),
    create: (options) => captured(given(options)),
  });
  registry.register("structured", {
    options: z.strictObject({ entries, chars: z.int().min(100).max(LONGEST_ENTRY).optional() }),
    create: (options) => structured(given(options)),
  });
  registry.register("summarized", {
    options: z.strictObject(summaryOptions),
    create: async ({ by: who, timeout, ...options }, context) =>
      summarized({ by: await createSummarizer(who, context), ...given({ ...options, timeoutMs: timeout }) }),
  });
  registry.register("hybrid", {
    options: z.strictObject({ ...summaryOptions, outputChars: count(LONGEST_ENTRY).optional() }),
    create: async ({ by: who, timeout, ...options }, context) =>
      hybrid({ by: await createSummarizer(who, context), ...given({ ...options, timeoutMs: timeout }) }),
  });
  registry.register("none", { options: z.strictObject({}), create: () => none() });
  return registry;
}

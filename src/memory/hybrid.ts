// Memory with both: the summary of an iteration, and below it the captured text.
import { dropUndefined } from "#options/option";
import { defineMemory } from "#options/part";
import { count } from "#options/values";
import type { Memory } from "#spec/memory";
import { capturedOf, entriesOf } from "./entry.ts";
import { MAX_ENTRY_CHARS } from "./facts.ts";
import { createNoteTaker, SUMMARY_CHARS } from "./note.ts";
import {
  type SummarizedMemory,
  type SummarizedOptions,
  summaryOf,
  summaryOptions,
  toSummarizedOptions,
} from "./summarized.ts";

export interface HybridOptions extends SummarizedOptions {
  /** Maximum characters of captured output per iteration. */
  readonly outputChars?: number;
}

export function hybrid(options: HybridOptions): Memory {
  const { entries = 5, chars = SUMMARY_CHARS, outputChars = 500 } = options;
  return {
    recall: (run) =>
      entriesOf(
        run,
        entries,
        (iteration) => `${summaryOf(iteration, chars)}\n${capturedOf(run, iteration, outputChars)}`,
      ),
    note: createNoteTaker(options),
  };
}

export const hybridMemory = defineMemory({
  type: "hybrid",
  summary: "Summaries of the last iterations, each with the captured gate results below it.",
  options: summaryOptions.extend({ outputChars: count(MAX_ENTRY_CHARS).optional() }),
  helper: (options: SummarizedMemory & { readonly outputChars?: number } = {}) => ({
    type: "hybrid" as const,
    ...options,
  }),
  create: async ({ outputChars, ...options }, context) =>
    hybrid({
      ...(await toSummarizedOptions(options, context)),
      ...dropUndefined({ outputChars }),
    }),
});

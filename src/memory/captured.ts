// Memory of the last iterations: files changed and gate results.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineMemory } from "#options/part";
import { count } from "#options/values";
import type { Memory } from "#spec/memory";
import { capturedOf, entriesOf } from "./entry.ts";
import { MAX_ENTRIES, MAX_ENTRY_CHARS } from "./facts.ts";

export interface CapturedOptions {
  /** Number of iterations to keep. */
  readonly entries?: number;
  /** Maximum characters of output per iteration. */
  readonly chars?: number;
}

export function captured({ entries = 5, chars = 500 }: CapturedOptions = {}): Memory {
  return {
    recall: (run) => entriesOf(run, entries, (iteration) => capturedOf(run, iteration, chars)),
  };
}

export const capturedMemory = defineMemory({
  type: "captured",
  summary: "Files changed and gate results of the last iterations.",
  options: z.strictObject({
    entries: count(MAX_ENTRIES).optional(),
    chars: count(MAX_ENTRY_CHARS).optional(),
  }),
  helper: (options: CapturedOptions = {}) => ({ type: "captured" as const, ...options }),
  create: (options) => captured(dropUndefined(options)),
});

// Memory of the last iterations as summaries; captured text replaces a missing summary.
import * as z from "zod";
import { duration } from "#options/duration";
import { dropUndefined } from "#options/option";
import { type Described, defineMemory, type PartContext } from "#options/part";
import { count } from "#options/values";
import type { Memory } from "#spec/memory";
import type { Iteration } from "#spec/run";
import type { Component } from "#spec/task";
import { head, quoted } from "#text/plain-text";
import { capturedOf, entriesOf } from "./entry.ts";
import { fact, MAX_ENTRIES, MAX_ENTRY_CHARS } from "./facts.ts";
import { createNoteTaker, type NoteOptions, SUMMARY_CHARS } from "./note.ts";
import { createSummarizer, summarizerOptions } from "./summarizers/create-summarizer.ts";

export interface SummarizedOptions extends NoteOptions {
  /** Number of iterations to keep. */
  readonly entries?: number;
}

const FALLBACK_CHARS = 500;

function hasSummary({ note }: Iteration): boolean {
  return note !== undefined && note.problem === undefined;
}

/** The summary, or why there is none. */
export function summaryOf({ note }: Iteration, chars: number): string {
  if (note === undefined) return "no summary; this was captured:";
  if (note.problem === undefined) return `summary:\n${quoted(head(note.text, chars))}`;
  return `no summary; this was captured. The reason:\n${quoted(fact(note.problem))}`;
}

export function summarized(options: SummarizedOptions): Memory {
  const { entries = 5, chars = SUMMARY_CHARS } = options;
  return {
    recall: (run) =>
      entriesOf(run, entries, (iteration) => {
        const summary = summaryOf(iteration, chars);
        if (hasSummary(iteration)) return summary;
        return `${summary}\n${capturedOf(run, iteration, FALLBACK_CHARS)}`;
      }),
    note: createNoteTaker(options),
  };
}

/** The summarizer: an agent, a command, or an OpenAI-compatible endpoint. */
export type SummarizedBy =
  | { readonly agent: string | Component }
  | { readonly command: string | readonly string[] }
  | { readonly url: string; readonly model: string; readonly keyEnv?: string };

export interface SummarizedMemory {
  /** Defaults to the task's first agent. */
  readonly by?: SummarizedBy;
  readonly timeout?: string | number;
  readonly entries?: number;
  readonly chars?: number;
}

/** Options of every memory with summaries. */
export const summaryOptions = z.strictObject({
  by: summarizerOptions.optional(),
  timeout: duration.optional(),
  entries: count(MAX_ENTRIES).optional(),
  chars: count(MAX_ENTRY_CHARS).optional(),
});

/** Creates the summarizer, and converts the other options. */
export async function toSummarizedOptions(
  { by, timeout, entries, chars }: z.output<typeof summaryOptions>,
  context: PartContext,
): Promise<SummarizedOptions> {
  return {
    by: await createSummarizer(by, context),
    ...dropUndefined({ entries, chars, timeoutMs: timeout }),
  };
}

export const summarizedMemory = defineMemory({
  type: "summarized",
  summary: "Summaries of the last iterations, by an agent, a command or an endpoint.",
  options: summaryOptions,
  helper: (options: SummarizedMemory = {}): Described<"summarized", SummarizedMemory> => ({
    type: "summarized",
    ...options,
  }),
  create: async (options, context) => summarized(await toSummarizedOptions(options, context)),
});

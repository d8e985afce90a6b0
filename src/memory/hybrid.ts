// Both: what a summarizer made of an iteration, and under it what was captured.
import type { Memory } from "#spec/memory";
import { capturedOf, entriesOf } from "./entry.ts";
import { noting, SUMMARY_CHARS } from "./note.ts";
import { type SummarizedOptions, summaryOf } from "./summarized.ts";

export interface HybridOptions extends SummarizedOptions {
  /** How many characters of output are captured of each iteration. */
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
    note: noting(options),
  };
}

// Memory with both: the summary of an iteration, and below it the captured text.
import type { Memory } from "#spec/memory";
import { capturedOf, entriesOf } from "./entry.ts";
import { createNoteTaker, SUMMARY_CHARS } from "./note.ts";
import { type SummarizedOptions, summaryOf } from "./summarized.ts";

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

// Memory of the last iterations as summaries; captured text replaces a missing summary.
import type { Memory } from "#spec/memory";
import type { Iteration } from "#spec/run";
import { head, quoted } from "#text/plain-text";
import { capturedOf, entriesOf } from "./entry.ts";
import { fact } from "./facts.ts";
import { createNoteTaker, type NoteOptions, SUMMARY_CHARS } from "./note.ts";

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

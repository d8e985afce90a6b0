// Asks a summarizer about one iteration, once: in bounded time, for a bounded text. What goes wrong is told, never thrown.
import type { Memory, NoteRequest } from "#spec/memory";
import type { Note } from "#spec/note";
import { LONGEST_TIMER } from "#system/clock";
import { head, oneLine, plain } from "#text/plain-text";
import { notePrompt } from "./note-prompt.ts";
import { noSummary, type Summarizer } from "./summarizers/summarizer.ts";

export interface NoteOptions {
  /** Who sums up. */
  readonly by: Summarizer;
  /** How long that may take. */
  readonly timeoutMs?: number;
  /** How many characters a summary may have. */
  readonly chars?: number;
}

export const SUMMARY_CHARS = 1_500;
const MINUTE = 60_000;
const PROBLEM_CHARS = 400;

/** The answer, bounded and inert; without a text there is a problem, and with a problem no text. */
function bounded({ text, usage, problem }: Note, chars: number): Note {
  const summary = head(plain(text).trim(), chars);
  const wrong = problem ?? (summary === "" ? "the summarizer answered with nothing" : undefined);
  return {
    text: wrong === undefined ? summary : "",
    ...(usage && { usage }),
    ...(wrong !== undefined && { problem: oneLine(wrong, PROBLEM_CHARS) || "the summarizer failed" }),
  };
}

export function noting(options: NoteOptions): NonNullable<Memory["note"]> {
  const { by, timeoutMs = MINUTE, chars = SUMMARY_CHARS } = options;

  const ask = async ({ run, iteration, files, dir }: NoteRequest, signal: AbortSignal): Promise<Note> => {
    const summed = run.iterations.find(({ number }) => number === iteration);
    if (!summed) return noSummary(`there is no iteration ${iteration}`);
    const prompt = notePrompt(run, summed, chars);
    return by({ prompt, run: run.id, iteration, dir, files, timeoutMs }, signal);
  };

  return async (request, signal) => {
    if (signal.aborted)
      return noSummary("the summarizer was not asked: the run was stopped, or its time is up");
    const late = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER));
    const answer = await ask(request, AbortSignal.any([signal, late])).catch((error: unknown) =>
      noSummary(`the summarizer could not be asked: ${(error as Error)?.message}`),
    );
    // However it was told to stop, this is why.
    const cut = signal.aborted
      ? "the summarizer was cut off: the run was stopped, or its time is up"
      : `the summarizer did not answer within ${timeoutMs / 1000} s`;
    const wasCut = answer.problem !== undefined && (signal.aborted || late.aborted);
    return bounded(wasCut ? { ...answer, problem: cut } : answer, chars);
  };
}

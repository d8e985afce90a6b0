// Asks a summarizer about one iteration, once, with a timeout and a size limit. Returns errors as a problem, never throws.
import type { Memory, NoteRequest } from "#spec/memory";
import type { Note } from "#spec/note";
import { LONGEST_TIMER } from "#system/clock";
import { head, oneLine, plain } from "#text/plain-text";
import { notePrompt } from "./note-prompt.ts";
import { noSummary, type Summarizer } from "./summarizers/summarizer.ts";

export interface NoteOptions {
  /** The summarizer. */
  readonly by: Summarizer;
  /** Timeout of the summarizer. */
  readonly timeoutMs?: number;
  /** Maximum characters of a summary. */
  readonly chars?: number;
}

export const SUMMARY_CHARS = 1_500;
const MINUTE = 60_000;
const PROBLEM_CHARS = 400;

/** Limits and sanitizes the answer: it has either a text or a problem. */
function limitNote({ text, usage, problem }: Note, chars: number): Note {
  const summary = head(plain(text).trim(), chars);
  const reason = problem ?? (summary === "" ? "the summarizer gave an empty answer" : undefined);
  return {
    text: reason === undefined ? summary : "",
    ...(usage && { usage }),
    ...(reason !== undefined && { problem: oneLine(reason, PROBLEM_CHARS) || "the summarizer failed" }),
  };
}

export function createNoteTaker(options: NoteOptions): NonNullable<Memory["note"]> {
  const { by, timeoutMs = MINUTE, chars = SUMMARY_CHARS } = options;

  const ask = async ({ run, iteration, files, dir }: NoteRequest, signal: AbortSignal): Promise<Note> => {
    const target = run.iterations.find(({ number }) => number === iteration);
    if (!target) return noSummary(`there is no iteration ${iteration}`);
    const prompt = notePrompt(run, target, chars);
    return by({ prompt, run: run.id, iteration, dir, files, timeoutMs }, signal);
  };

  return async (request, signal) => {
    if (signal.aborted)
      return noSummary("the summarizer was not started: the run was stopped or reached its time limit");
    const timeout = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER));
    const answer = await ask(request, AbortSignal.any([signal, timeout])).catch((error: unknown) =>
      noSummary(`the summarizer failed: ${(error as Error)?.message}`),
    );
    // Report the cause of the abort, whatever error it led to.
    const abortReason = signal.aborted
      ? "the summarizer was stopped: the run was stopped or reached its time limit"
      : `the summarizer did not answer within ${timeoutMs / 1000} s`;
    const wasAborted = answer.problem !== undefined && (signal.aborted || timeout.aborted);
    return limitNote(wasAborted ? { ...answer, problem: abortReason } : answer, chars);
  };
}

// The contract of a summarizer: a prompt in, a summary out.
import type { Note } from "#spec/note";

export interface Question {
  readonly prompt: string;
  /** The run's id. */
  readonly run: string;
  readonly iteration: number;
  /** The workspace. */
  readonly dir: string;
  /** Log folder outside the workspace. */
  readonly files: string;
  readonly timeoutMs: number;
}

/** The answer is untrusted and may have any length; aborting the signal ends it with a problem. */
export type Summarizer = (question: Question, signal: AbortSignal) => Promise<Note>;

export function noSummary(problem: string): Note {
  return { text: "", problem };
}

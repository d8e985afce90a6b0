// Somebody who sums up: gets a text, answers with a shorter one.
import type { Note } from "#spec/note";

export interface Question {
  readonly prompt: string;
  /** The run's id. */
  readonly run: string;
  readonly iteration: number;
  /** The workspace. */
  readonly dir: string;
  /** Folder, outside the workspace, for logs. */
  readonly files: string;
  readonly timeoutMs: number;
}

/** The answer may be anything of any length; aborting the signal ends it, with a problem. */
export type Summarizer = (question: Question, signal: AbortSignal) => Promise<Note>;

export function noSummary(problem: string): Note {
  return { text: "", problem };
}

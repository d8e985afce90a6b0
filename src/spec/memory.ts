// Port of a memory: text that tells the next iteration what earlier ones tried.
import type { Note } from "./note.ts";
import type { Run } from "./run.ts";

export interface NoteRequest {
  readonly run: Run;
  /** The iteration to summarize. */
  readonly iteration: number;
  /** Folder outside the workspace for the summarizer's logs. */
  readonly files: string;
  /** The workspace. */
  readonly dir: string;
}

export interface Memory {
  /** A function of the run, so it survives crashes. Empty when nothing is recorded. */
  recall(run: Run): string | Promise<string>;
  /** Summarizes one iteration within a timeout; never throws for what the summarizer did. */
  note?(request: NoteRequest, signal: AbortSignal): Promise<Note>;
}

// The port for text that tells the next iteration what the earlier ones tried.
import type { Note } from "./note.ts";
import type { Run } from "./run.ts";

export interface NoteRequest {
  readonly run: Run;
  /** The iteration to sum up. */
  readonly iteration: number;
  /** Folder, outside the workspace, for the summarizer's logs. */
  readonly files: string;
  /** The workspace. */
  readonly dir: string;
}

export interface Memory {
  /** A function of the run, so it survives every crash. Empty when nothing is recorded. */
  recall(run: Run): string | Promise<string>;
  /** Sums up one iteration, in bounded time; never throws for what the summarizer did. */
  note?(request: NoteRequest, signal: AbortSignal): Promise<Note>;
}

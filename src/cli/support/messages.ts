// Writes text, JSON lines, notes and warnings, and handles a broken pipe.
import type { ReadTask } from "#config/read-task";

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Standard error: standard output stays clean for scripts. */
export function printNote(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function warn(text: string): void {
  printNote(`warning: ${text}`);
}

/** Prints the notes and warnings from reading a task. */
export function printTaskNotes({ notes, warnings }: Pick<ReadTask, "notes" | "warnings">): void {
  notes.forEach(printNote);
  warnings.forEach(warn);
}

const GONE: readonly unknown[] = ["EPIPE", "EIO"];

/** Handles a broken pipe on stdout or stderr: `converge show | head -1`, or a closed terminal. */
export function onReaderGone(then: () => void): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!GONE.includes(error.code)) throw error;
      then();
    });
}

// Writes warnings and notes about a task to standard error.
import type { ReadTask } from "#config/read-task";

export function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}

/** Prints the notes and warnings from reading a task. */
export function showNotes({ notes, warnings }: Pick<ReadTask, "notes" | "warnings">): void {
  for (const note of notes) process.stderr.write(`${note}\n`);
  warnings.forEach(warn);
}

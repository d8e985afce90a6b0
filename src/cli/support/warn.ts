// Writes warnings and notes about a task to standard error.
import type { ReadTask } from "#config/read-task";

export function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}

/** Shows what the reader of a task noted and warned of. */
export function showNotes({ notes, warnings }: Pick<ReadTask, "notes" | "warnings">): void {
  for (const note of notes) process.stderr.write(`${note}\n`);
  warnings.forEach(warn);
}

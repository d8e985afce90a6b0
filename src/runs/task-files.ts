// The files that a task was read from, pinned by hash: a run goes on with the task it started with, and says so.
import os from "node:os";
import type { Run } from "#spec/run";
import { hashFile } from "#system/hash";

export function taskFilePins(sources: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(sources.map((file) => [file, hashFile(file)]));
}

/** Of the pins, those that are plain paths; they are those of the machine that the run was started on. */
export function warnOfChangedTaskFiles({ id, host, pins }: Run, warn: (text: string) => void): void {
  if (host !== os.hostname()) return;
  for (const [file, hash] of Object.entries(pins))
    if (file.startsWith("/") && hashFile(file) !== hash)
      warn(
        `${file} has changed since run ${id} started; the run goes on with the task it started with, and a new run uses the new one`,
      );
}

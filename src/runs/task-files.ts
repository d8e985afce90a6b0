// Warns when a task's files changed since the start (pinned by hash): a run continues with its original task.
import os from "node:os";
import type { Run } from "#spec/run";
import { hashFile } from "#system/hash";

export function taskFilePins(sources: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(sources.map((file) => [file, hashFile(file)]));
}

/** Checks only pins that are plain paths, and only on the machine that the run was started on. */
export function warnOfChangedTaskFiles({ id, host, pins }: Run, warn: (text: string) => void): void {
  if (host !== os.hostname()) return;
  for (const [file, hash] of Object.entries(pins))
    if (file.startsWith("/") && hashFile(file) !== hash)
      warn(
        `${file} has changed since run ${id} started; the run goes on with the task it started with, and a new run uses the new one`,
      );
}

// Checks the machine before anything is written: every run needs git and free disk space.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { describeFullestDisk, hasNoSpace } from "#system/disk";
import { which } from "#system/which";

/** The folder, or its nearest existing ancestor. */
function existing(dir: string): string {
  return fs.existsSync(dir) || path.dirname(dir) === dir ? dir : existing(path.dirname(dir));
}

/** Throws a UsageError that says what is missing. */
export function checkMachine(dirs: readonly string[]): void {
  if (which("git", process.env.PATH ?? "") === undefined)
    throw new UsageError(
      "git: command not found. Converge keeps the snapshots of the workspace with it; install git and run again",
    );
  const full = dirs.map(existing).filter(hasNoSpace);
  if (full.length > 0) throw new UsageError(`${describeFullestDisk(full)}; free some space and run again`);
}

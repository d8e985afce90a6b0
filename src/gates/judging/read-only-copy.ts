// Gives a judge a read-only copy of the judged files, and detects whether the workspace was written to meanwhile.
import fs from "node:fs";
import path from "node:path";
import type { JudgeRequest } from "#spec/gate";
import { privateDir, removeAll } from "#system/files";
import { FOREIGN_FOLDERS, walk } from "#system/walk";

/** Path to a version that changes with every write. */
type FileVersions = ReadonlyMap<string, string>;

const WRITE_BITS = 0o222;

export interface ReadOnlyResult<T> {
  readonly result: T;
  /** Files of the workspace that were added, deleted or changed while `work` ran. */
  readonly changed: readonly string[];
}

/** Runs `work` with the copy, which is deleted afterwards. */
export async function withReadOnlyCopy<T>(
  { dir, files, copy }: JudgeRequest,
  work: (copy: string) => Promise<T>,
): Promise<ReadOnlyResult<T>> {
  const folder = path.join(files, "copy");
  try {
    removeAll(folder);
    await copy(privateDir(folder));
    chmodAll(folder, (mode) => mode & ~WRITE_BITS);
    const before = versionsOf(dir);
    const result = await work(folder);
    return { result, changed: changedFiles(before, versionsOf(dir)) };
  } finally {
    removeAll(folder);
  }
}

/** Skips links, because their targets are not ours. */
function chmodAll(file: string, change: (mode: number) => number): void {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return;
  // A folder must be accessible while we walk it.
  if (stat.isDirectory()) {
    fs.chmodSync(file, stat.mode | 0o700);
    for (const name of fs.readdirSync(file)) chmodAll(path.join(file, name), change);
  }
  fs.chmodSync(file, change(stat.mode));
}

/** By `stat` only, because the files may be many. */
function versionsOf(root: string): FileVersions {
  const versions = new Map<string, string>();
  // Git's own folder changes on reads, and installed packages are not judged.
  for (const { name } of walk(root, { skipped: FOREIGN_FOLDERS })) {
    const stat = fs.lstatSync(path.join(root, name), { bigint: true, throwIfNoEntry: false });
    if (stat) versions.set(name, `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs}`);
  }
  return versions;
}

function changedFiles(before: FileVersions, after: FileVersions): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

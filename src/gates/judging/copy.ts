// A read-only copy of the judged files, deleted when the judge is done.
import fs from "node:fs";
import path from "node:path";
import { privateDir, removeAll } from "#system/files";

const WRITING = 0o222;

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

/** `fill` writes the files into the empty folder. */
export async function readOnlyCopy(dir: string, fill: (dir: string) => Promise<void>): Promise<void> {
  removeAll(dir);
  await fill(privateDir(dir));
  chmodAll(dir, (mode) => mode & ~WRITING);
}

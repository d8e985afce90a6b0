// Fingerprints of all files in a room, to detect changes later.
import fs from "node:fs";
import path from "node:path";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { hashFile, stateOf } from "#system/hash";
import { walk } from "#system/walk";

/** Path to "folder", or to the fingerprint of the file. */
export type Marks = ReadonlyMap<string, string>;

const FOLDER = "folder";

/** Hashes the content of every file. */
export function marksByBytes(dir: string): Promise<Marks> {
  return marksOf(dir, () => true);
}

/** Does not follow links. Hashes files that are `isOfTree`; takes only `stat` of the rest, to avoid reading them. */
export async function marksOf(dir: string, isOfTree: (name: string) => boolean): Promise<Marks> {
  const marks = new Map<string, string>();
  for (const { name, entry } of walk(dir)) {
    // Yields to the event loop between folders, because there may be thousands of files.
    if (entry.isDirectory()) await yieldToEventLoop();
    const file = path.join(dir, name);
    const stat = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (!stat) continue;
    marks.set(name, stat.isDirectory() ? FOLDER : isOfTree(name) ? bytesOf(file, stat) : stateOf(stat));
  }
  return marks;
}

function bytesOf(file: string, stat: fs.BigIntStats): string {
  if (stat.isSymbolicLink()) return `link ${fs.readlinkSync(file)}`;
  return stat.isFile() ? `${(stat.mode & 0o777n).toString(8)} ${hashFile(file)}` : "special";
}

/** The names in `before` that are deleted or changed. */
export function changedIn(before: Marks, now: Marks): string[] {
  return [...before].filter(([name, mark]) => now.get(name) !== mark).map(([name]) => name);
}

/** Restores the named files in `dir` from `from`, replacing whatever is there now. */
export function putBack(names: readonly string[], from: string, dir: string): void {
  // Restores folders before their files, so that nothing is written through a link that replaced a folder.
  for (const name of [...names].sort()) {
    const source = path.join(from, name);
    const target = path.join(dir, name);
    fs.rmSync(target, { recursive: true, force: true });
    if (fs.lstatSync(source).isDirectory()) fs.mkdirSync(target);
    else fs.cpSync(source, target, { verbatimSymlinks: true });
  }
}

// What lies in a room, file by file, to find out later what is no longer as it was.
import fs from "node:fs";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { hashFile, stateOf } from "#system/hash";

/** By path: "folder", or what tells this file from any other. */
export type Marks = ReadonlyMap<string, string>;

const FOLDER = "folder";

/** Every file by its bytes. */
export function marksByBytes(dir: string): Promise<Marks> {
  return marksOf(dir, () => true);
}

/** Links are not followed. What `isOfTree` is marked by its bytes, the rest by its state on disk: that need not be read. */
export async function marksOf(dir: string, isOfTree: (name: string) => boolean): Promise<Marks> {
  const marks = new Map<string, string>();
  const look = async (folder: string): Promise<void> => {
    // Thousands of files, one after the other: others have their turn between two folders.
    await breathe();
    for (const entry of fs.readdirSync(path.join(dir, folder))) {
      const name = path.join(folder, entry);
      const file = path.join(dir, name);
      const stat = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      marks.set(name, stat.isDirectory() ? FOLDER : isOfTree(name) ? bytesOf(file, stat) : stateOf(stat));
      if (stat.isDirectory()) await look(name);
    }
  };
  await look("");
  return marks;
}

function bytesOf(file: string, stat: fs.BigIntStats): string {
  if (stat.isSymbolicLink()) return `link ${fs.readlinkSync(file)}`;
  return stat.isFile() ? `${(stat.mode & 0o777n).toString(8)} ${hashFile(file)}` : "special";
}

/** The names in `before` that are gone or are another file now. */
export function changedIn(before: Marks, now: Marks): string[] {
  return [...before].filter(([name, mark]) => now.get(name) !== mark).map(([name]) => name);
}

/** Puts the named files into `dir` as they are in `from`, whatever has taken their place. */
export function putBack(names: readonly string[], from: string, dir: string): void {
  // Folders come before what lies in them, so that nothing is written through a link that took a folder's place.
  for (const name of [...names].sort()) {
    const source = path.join(from, name);
    const target = path.join(dir, name);
    fs.rmSync(target, { recursive: true, force: true });
    if (fs.lstatSync(source).isDirectory()) fs.mkdirSync(target);
    else fs.cpSync(source, target, { verbatimSymlinks: true });
  }
}

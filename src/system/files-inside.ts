// Lists and reads workspace files safely. The agent controls them, so no symbolic link leads out of the folder, and
// neither a FIFO nor a huge number of files can block the process.
import { constants, type Dirent } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isInside } from "./inside.ts";
import { FOREIGN_FOLDERS, walk } from "./walk.ts";

const MAX_FILES = 200_000;

/** Lists all files as sorted paths relative to `dir`. Throws when a folder is unreadable: hidden files are not absent. */
export async function listFiles(dir: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const { name, entry } of walk(dir, { skipped: FOREIGN_FOLDERS })) {
    // Yields to the event loop between folders, because there may be thousands of files.
    if (entry.isDirectory()) await breathe();
    else if (await isFile(dir, name, entry)) files.push(name);
    if (files.length > MAX_FILES) throw new Error(`the workspace has more than ${MAX_FILES} files`);
  }
  return files.sort();
}

async function isFile(dir: string, name: string, entry: Dirent): Promise<boolean> {
  return entry.isSymbolicLink() ? (await kindInside(dir, name)) === "file" : entry.isFile();
}

/** Returns what is at a path; undefined when nothing is, or when it lies outside `dir`. */
export async function kindInside(dir: string, name: string): Promise<"file" | "folder" | undefined> {
  const real = await realInside(dir, name);
  const stat = real === undefined ? undefined : await fs.stat(real).catch(() => undefined);
  if (stat?.isFile()) return "file";
  return stat?.isDirectory() ? "folder" : undefined;
}

/** Resolves all symbolic links; undefined when the path does not exist or leads out of `dir`. */
export async function realInside(dir: string, name: string): Promise<string | undefined> {
  const base = await fs.realpath(dir);
  const real = await fs.realpath(path.join(base, name)).catch(() => undefined);
  return real !== undefined && isInside(base, real) ? real : undefined;
}

export async function sizeInside(dir: string, name: string): Promise<number> {
  const real = await realInside(dir, name);
  return real === undefined ? 0 : (await fs.stat(real)).size;
}

/** Reads a regular file inside `dir`. Throws when it is not one, or is larger than `limit`: half a file proves nothing. */
export async function readInside(dir: string, name: string, limit: number): Promise<Buffer> {
  const real = await realInside(dir, name);
  if (real === undefined) throw new Error(`there is no file ${name} in the workspace`);
  const handle = await fs.open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Error(`${name} is not a regular file`);
    if (stat.size > limit) throw new Error(`${name} is larger than ${limit / 1024 / 1024} MB`);
    const bytes = Buffer.alloc(stat.size);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

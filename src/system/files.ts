// Converge's own files: private permissions, atomic writes, bounded reads, and no writes through planted symbolic links.
import fs from "node:fs";
import path from "node:path";
import { isInside } from "./inside.ts";

export function privateDir(dir: string): string {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
}

/** Deletes the folder with everything in it, read-only files included. */
export function removeAll(dir: string): void {
  try {
    fs.rmSync(dir, { recursive: true, force: true });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    makeWritable(dir);
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function makeWritable(dir: string): void {
  fs.chmodSync(dir, 0o700);
  for (const entry of fs.readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(path.join(dir, entry.name));
}

// Atomic writes fill a temporary file or folder beside the target, then rename it into place. Readers see the old or the
// new content, never a part of it; a symbolic link at the target is replaced, not followed.

interface AtomicWrite {
  /** Flush to disk before and after the rename, so that a power failure loses neither content. For files of the user. */
  readonly durable?: boolean;
}

/** The temporary file's name does not grow with the target's, which may be as long as the file system allows. */
export function temporaryFor(file: string): string {
  return path.join(path.dirname(file), `.converge.${process.pid}.tmp`);
}

/** Replaces the file with what `write` writes to the temporary file. */
export function replaceFile<T>(
  file: string,
  write: (temporary: string) => T,
  { durable = false }: AtomicWrite = {},
): T {
  const temporary = temporaryFor(file);
  // Only a file: a folder of that name in the user's folder is not ours.
  fs.rmSync(temporary, { force: true });
  try {
    const result = write(temporary);
    install(temporary, file, durable);
    return result;
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Like `replaceFile`, for content that arrives over time. */
export async function replaceFileAsync<T>(
  file: string,
  write: (temporary: string) => Promise<T>,
  { durable = false }: AtomicWrite = {},
): Promise<T> {
  const temporary = temporaryFor(file);
  fs.rmSync(temporary, { force: true });
  try {
    const result = await write(temporary);
    install(temporary, file, durable);
    return result;
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** Replaces the file with a private one. An agent may write to the folder, so whatever is in the way is deleted. */
export function writePrivate(file: string, text: string): void {
  removeAll(temporaryFor(file));
  replaceFile(file, (temporary) => fs.writeFileSync(temporary, text, { flag: "wx", mode: 0o600 }));
}

/** Replaces the folder with one that `fill` creates. An interruption keeps the old one; the next call deletes what is left. */
export async function replaceFolder(dir: string, fill: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = `${dir}.new`;
  removeAll(fresh);
  privateDir(path.dirname(dir));
  await fill(fresh);
  removeAll(dir);
  fs.renameSync(fresh, dir);
}

function install(temporary: string, file: string, durable: boolean): void {
  if (durable) flush(temporary);
  fs.renameSync(temporary, file);
  if (durable) flush(path.dirname(file));
}

function flush(place: string): void {
  const handle = fs.openSync(place, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Opens a log for appending; fails on a symbolic link and on anything but a regular file. */
export function openLog(file: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const handle = fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (fs.fstatSync(handle).isFile()) return handle;
  fs.closeSync(handle);
  throw new Error(`${file} is not a regular file`);
}

/** Size in bytes; 0 when the file does not exist. */
export function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Identifies the file behind a path by device and inode: a file that was deleted and created again gets another identity. */
export function identityOf(file: string): string {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : "none";
}

/** Reads the last `limit` bytes of a regular file after offset `from`; the text starts at a character boundary. */
export function readTail(file: string, limit: number, from = 0): string {
  let handle: number;
  try {
    // Non-blocking: a FIFO planted in place of a log must not block the reader.
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return "";
  }
  try {
    const stat = fs.fstatSync(handle);
    if (!stat.isFile()) return "";
    const start = Math.max(from, stat.size - limit);
    const bytes = Buffer.alloc(Math.max(0, stat.size - start));
    const read = fs.readSync(handle, bytes, 0, bytes.length, start);
    const text = bytes.subarray(0, read).toString("utf8");
    return start > from ? text.replace(/^\ufffd{1,3}/, "") : text;
  } finally {
    fs.closeSync(handle);
  }
}

/** The text of a regular file; empty when it has more than `most` bytes, or cannot be read. */
export function readSmall(file: string, most: number): string {
  let handle: number;
  try {
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch {
    return "";
  }
  try {
    const stat = fs.fstatSync(handle);
    if (!stat.isFile() || stat.size > most) return "";
    const bytes = Buffer.allocUnsafe(stat.size);
    return bytes.toString("utf8", 0, fs.readSync(handle, bytes));
  } finally {
    fs.closeSync(handle);
  }
}

/** A folder inside a workspace. */
interface FolderInside {
  readonly root: string;
  readonly dir: string;
}

/** Atomic write into the folder. Returns false when a symbolic link leads out of `root`: the agent controls the workspace. */
export function mirrorInto({ root, dir }: FolderInside, name: string, text: string): boolean {
  const base = fs.realpathSync(root);
  const target = path.resolve(base, dir);
  // Check before mkdir: a folder created behind a link would already be outside.
  if (!isInside(base, fs.realpathSync(nearestExisting(target)))) return false;
  fs.mkdirSync(target, { recursive: true });
  const real = fs.realpathSync(target);
  if (!isInside(base, real)) return false;
  writePrivate(path.join(real, name), text);
  return true;
}

/** Returns the folder itself, or its closest existing ancestor. */
function nearestExisting(dir: string): string {
  return fs.existsSync(dir) ? dir : nearestExisting(path.dirname(dir));
}

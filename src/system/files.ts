// Files that belong to Converge: private, bounded when read back, and never through a link that somebody planted.
import fs from "node:fs";
import path from "node:path";

export function privateDir(dir: string): string {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
}

/** Removes the folder and all that is in it, also what was made read-only. */
export function removeAll(dir: string): void {
  try {
    fs.rmSync(dir, { recursive: true, force: true });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    openUp(dir);
    fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function openUp(dir: string): void {
  fs.chmodSync(dir, 0o700);
  for (const entry of fs.readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) openUp(path.join(dir, entry.name));
}

/** Replaces the file as a whole, and whatever was put in its place: a link is not followed, a FIFO does not hang us. */
export function writePrivate(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  fs.rmSync(temporary, { recursive: true, force: true });
  fs.writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  fs.renameSync(temporary, file);
}

/** Opens a log to append to; only ever a regular file, and never through a link. */
export function openLog(file: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const handle = fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (fs.fstatSync(handle).isFile()) return handle;
  fs.closeSync(handle);
  throw new Error(`${file} is not a regular file`);
}

/** Size in bytes; 0 when there is no such file. */
export function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Which file the path leads to now, if any: one that was removed and made again is another one. */
export function identityOf(file: string): string {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : "none";
}

/** The last `limit` bytes of a regular file from `from` on, decoded; cut at a character boundary. */
export function readTail(file: string, limit: number, from = 0): string {
  let handle: number;
  try {
    // Non-blocking: a FIFO planted in the place of a log must not hang us.
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

/**
 * Replaces `name` inside `dir` as a whole, so that a reader never sees half of it.
 * Refuses when a link leads out of `root`: the workspace belongs to the agent.
 */
export function mirrorInto(root: string, dir: string, name: string, text: string): boolean {
  const base = fs.realpathSync(root);
  const target = path.resolve(base, dir);
  // Before anything is made: a folder made behind a link would already be outside.
  if (!within(base, fs.realpathSync(nearestFolder(target)))) return false;
  fs.mkdirSync(target, { recursive: true });
  const real = fs.realpathSync(target);
  if (!within(base, real)) return false;
  writePrivate(path.join(real, name), text);
  return true;
}

function within(base: string, real: string): boolean {
  return real === base || real.startsWith(base + path.sep);
}

/** The folder itself, or the closest one above it that exists. */
function nearestFolder(dir: string): string {
  return fs.existsSync(dir) ? dir : nearestFolder(path.dirname(dir));
}

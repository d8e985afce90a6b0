// Files that belong to Converge: private, bounded when read back, and never through a link that somebody planted.
import fs from "node:fs";
import path from "node:path";

export function privateDir(dir: string): string {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
}

export function writePrivate(file: string, text: string): void {
  fs.writeFileSync(file, text, { mode: 0o600 });
}

/** Size in bytes; 0 when there is no such file. */
export function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
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

/**
 * Replaces `name` inside `dir` as a whole, so that a reader never sees half of it.
 * Refuses when a link leads out of `root`: the workspace belongs to the agent.
 */
export function mirrorInto(root: string, dir: string, name: string, text: string): boolean {
  const target = path.resolve(root, dir);
  fs.mkdirSync(target, { recursive: true });
  const real = fs.realpathSync(target);
  const base = fs.realpathSync(root);
  if (real !== base && !real.startsWith(base + path.sep)) return false;
  const temporary = path.join(real, `.${name}.${process.pid}.tmp`);
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  fs.renameSync(temporary, path.join(real, name));
  return true;
}

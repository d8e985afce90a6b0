// SHA-256 of files, read piece by piece: a large one costs time, not memory, and a FIFO does not hang us.
import { createHash } from "node:crypto";
import fs from "node:fs";

const PIECE_BYTES = 1_048_576;
/** Of a larger file, the first and the last bytes and its size stand for all of it. */
const WHOLE_BYTES = 512 * 1_048_576;
const END_BYTES = 64 * 1_048_576;

/** What tells one state of a file from another without reading it. The change time cannot be set by a program. */
export function stateOf(stat: fs.BigIntStats): string {
  return [stat.dev, stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ");
}

/** Hex digits; "" when there is no such file, "folder" for a folder, "special" for what is neither. */
export function hashFile(file: string): string {
  let handle: number;
  try {
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? "" : "special";
  }
  try {
    const stat = fs.fstatSync(handle);
    if (stat.isDirectory()) return "folder";
    return stat.isFile() ? hashOf(handle, stat.size) : "special";
  } finally {
    fs.closeSync(handle);
  }
}

const known = new Map<string, { readonly state: string; readonly hash: string }>();

/** The same, read only when the file is not in the state in which it was last read by this process. */
export function hashAgain(file: string): string {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return hashFile(file);
  const state = stateOf(stat);
  const before = known.get(file);
  if (before?.state === state) return before.hash;
  const hash = hashFile(file);
  known.set(file, { state, hash });
  return hash;
}

function hashOf(handle: number, size: number): string {
  const hash = createHash("sha256");
  if (size <= WHOLE_BYTES) feed(hash, handle, 0, Number.POSITIVE_INFINITY);
  else {
    hash.update(`${size} `);
    feed(hash, handle, 0, END_BYTES);
    feed(hash, handle, size - END_BYTES, END_BYTES);
  }
  return hash.digest("hex");
}

function feed(hash: ReturnType<typeof createHash>, handle: number, from: number, length: number): void {
  const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, length));
  for (let at = 0; at < length; ) {
    const read = fs.readSync(handle, piece, 0, Math.min(piece.length, length - at), from + at);
    if (read === 0) return;
    hash.update(piece.subarray(0, read));
    at += read;
  }
}

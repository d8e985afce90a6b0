// SHA-256 of files, read in chunks: a large file costs time, not memory, and a FIFO cannot block the read.
import { createHash } from "node:crypto";
import fs from "node:fs";

const CHUNK_BYTES = 1_048_576;
/** A larger file is hashed by its first and last bytes and its size. */
const MAX_WHOLE_BYTES = 512 * 1_048_576;
const END_BYTES = 64 * 1_048_576;

/** Fingerprint of a file's metadata that changes whenever the file does. A program cannot set the change time (ctime). */
export function stateOf(stat: fs.BigIntStats): string {
  return [stat.dev, stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ");
}

/** Returns hex digits; "" when the file does not exist, "folder" for a folder, "special" for anything else. */
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
    return stat.isFile() ? hashHandle(handle, stat.size) : "special";
  } finally {
    fs.closeSync(handle);
  }
}

const cache = new Map<string, { readonly state: string; readonly hash: string }>();

/** Like hashFile, with a cache: reads the file again only when its metadata has changed. */
export function hashCached(file: string): string {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  if (!stat?.isFile()) return hashFile(file);
  const state = stateOf(stat);
  const cached = cache.get(file);
  if (cached?.state === state) return cached.hash;
  const hash = hashFile(file);
  cache.set(file, { state, hash });
  return hash;
}

function hashHandle(handle: number, size: number): string {
  const hash = createHash("sha256");
  if (size <= MAX_WHOLE_BYTES) feed(hash, handle, { from: 0, length: Number.POSITIVE_INFINITY });
  else {
    hash.update(`${size} `);
    feed(hash, handle, { from: 0, length: END_BYTES });
    feed(hash, handle, { from: size - END_BYTES, length: END_BYTES });
  }
  return hash.digest("hex");
}

interface ByteRange {
  readonly from: number;
  readonly length: number;
}

function feed(hash: ReturnType<typeof createHash>, handle: number, { from, length }: ByteRange): void {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length));
  for (let at = 0; at < length; ) {
    const read = fs.readSync(handle, chunk, 0, Math.min(chunk.length, length - at), from + at);
    if (read === 0) return;
    hash.update(chunk.subarray(0, read));
    at += read;
  }
}

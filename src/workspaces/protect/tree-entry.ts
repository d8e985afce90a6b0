// Computes a file's git mode and blob id from the bytes on disk, independent of timestamps, the index and filters.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

export interface TreeEntry {
  /** As in a git tree; "other" is anything else: a folder, a pipe, an unreadable file. */
  readonly mode: "100644" | "100755" | "120000" | "other";
  /** The git blob id. */
  readonly id: string;
}

/** Reads the files of one folder; never follows a symbolic link in their path. */
export interface FolderReader {
  /** Undefined when the file does not exist or is behind a link. */
  entry(name: string): TreeEntry | undefined;
  /** The bytes, or the first `limit` of them; for a link, its target. Undefined when the mode is "other". */
  bytes(name: string, limit?: number): Buffer | undefined;
}

/** Entries by name, each with the file's stat at the time it was read. */
export type EntryCache = Map<string, { readonly mark: string; readonly entry: TreeEntry }>;

const CHUNK = 1 << 18;
const OTHER: TreeEntry = { mode: "other", id: "" };

function startBlob(size: number) {
  return createHash("sha1").update(`blob ${size}\0`);
}

/** The git blob id of the bytes. */
export function blobId(bytes: Buffer): string {
  return startBlob(bytes.length).update(bytes).digest("hex");
}

/** Opens only regular files: does not follow a link and does not block on a pipe. */
function withRegularFile<T>(file: string, read: (handle: number, stat: fs.Stats) => T): T | undefined {
  let handle: number;
  try {
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fs.fstatSync(handle);
    return stat.isFile() ? read(handle, stat) : undefined;
  } finally {
    fs.closeSync(handle);
  }
}

/** Shared buffer for hashing. */
const buffer = Buffer.allocUnsafe(CHUNK);

function hashContent(handle: number, size: number): string {
  const hash = startBlob(size);
  for (let left = size; left > 0; ) {
    const read = fs.readSync(handle, buffer, 0, Math.min(left, buffer.length), null);
    if (read === 0) break;
    hash.update(buffer.subarray(0, read));
    left -= read;
  }
  return hash.digest("hex");
}

const readRegular = (handle: number, { mode, size }: fs.Stats): TreeEntry => ({
  mode: mode & 0o100 ? "100755" : "100644",
  id: hashContent(handle, size),
});

function readContent(handle: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const read = fs.readSync(handle, bytes, filled, size - filled, filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

/** Differs after every change of the file: unlike mtime, ctime cannot be set back. */
const markOf = ({ dev, ino, mode, size, mtimeMs, ctimeMs }: fs.Stats): string =>
  [dev, ino, mode, size, mtimeMs, ctimeMs].join();

/** With a cache, files whose stat is unchanged are not read again. */
export function folderReader(dir: string, cache?: EntryCache): FolderReader {
  const folders = new Map<string, boolean>([[".", true]]);
  const isReal = (folder: string): boolean => {
    const cached = folders.get(folder);
    if (cached !== undefined) return cached;
    const real =
      isReal(path.dirname(folder)) &&
      (fs.lstatSync(path.join(dir, folder), { throwIfNoEntry: false })?.isDirectory() ?? false);
    folders.set(folder, real);
    return real;
  };
  const statOf = (name: string): fs.Stats | undefined => {
    if (!isReal(path.dirname(name))) return undefined;
    try {
      return fs.lstatSync(path.join(dir, name), { throwIfNoEntry: false });
    } catch {
      // In an inaccessible folder: it cannot be what was sealed.
      return undefined;
    }
  };
  const readEntry = (file: string, stat: fs.Stats): TreeEntry => {
    if (stat.isSymbolicLink())
      return { mode: "120000", id: blobId(fs.readlinkSync(file, { encoding: "buffer" })) };
    return (stat.isFile() ? withRegularFile(file, readRegular) : undefined) ?? OTHER;
  };
  return {
    entry: (name) => {
      const isUncached = cache === undefined && isReal(path.dirname(name));
      const read = isUncached ? withRegularFile(path.join(dir, name), readRegular) : undefined;
      if (read) return read;
      const stat = statOf(name);
      if (!stat) return undefined;
      const mark = markOf(stat);
      const cached = cache?.get(name);
      if (cached?.mark === mark) return cached.entry;
      const entry = readEntry(path.join(dir, name), stat);
      cache?.set(name, { mark, entry });
      return entry;
    },
    bytes: (name, limit = Number.POSITIVE_INFINITY) => {
      const stat = statOf(name);
      const file = path.join(dir, name);
      if (stat?.isSymbolicLink()) return fs.readlinkSync(file, { encoding: "buffer" });
      return stat?.isFile()
        ? withRegularFile(file, (handle, { size }) => readContent(handle, Math.min(size, limit)))
        : undefined;
    },
  };
}

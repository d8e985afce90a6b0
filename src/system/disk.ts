// Detects a full disk as the cause of an error, and names the disk.
import fs from "node:fs";

const FULL_DISK_MESSAGE =
  /no space left on device|disk quota exceeded|out of diskspace|database or disk is full|the disk is full/i;

/** Child processes report a full disk in words only, without an error code. */
export function isFullDisk(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" || FULL_DISK_MESSAGE.test(message);
}

interface FreeSpace {
  readonly dir: string;
  /** 0 when the disk has no inodes left, however many bytes are free. */
  readonly bytes: number;
  readonly words: string;
}

function freeSpaceIn(dir: string): FreeSpace[] {
  try {
    const { bavail, bsize, files, ffree } = fs.statfsSync(dir);
    // Some file systems report no inode count.
    if (files > 0 && ffree === 0) return [{ dir, bytes: 0, words: "no more files" }];
    const bytes = bavail * bsize;
    return [{ dir, bytes, words: `${Math.floor(bytes / 1024)} KiB left` }];
  } catch {
    return [];
  }
}

/** Less than SQLite or git need for any write. */
const MIN_FREE_BYTES = 64 * 1024;

export function hasNoSpace(dir: string): boolean {
  return freeSpaceIn(dir).some(({ bytes }) => bytes < MIN_FREE_BYTES);
}

/** Describes the disk with the least free space among those of the given folders. */
export function describeFullestDisk(dirs: readonly string[]): string {
  const [least] = dirs.flatMap(freeSpaceIn).sort((a, b) => a.bytes - b.bytes);
  return least ? `the disk is full: ${least.words} in ${least.dir}` : "the disk is full";
}

// Whether what failed failed because a disk is full, and which one that is.
import fs from "node:fs";

const WORDS =
  /no space left on device|disk quota exceeded|out of diskspace|database or disk is full|the disk is full/i;

/** Programs that we start say it in words only. */
export function isFullDisk(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" || WORDS.test(message);
}

interface Room {
  readonly dir: string;
  /** None where no more files may be made, whatever is left. */
  readonly bytes: number;
  readonly words: string;
}

function roomIn(dir: string): Room[] {
  try {
    const { bavail, bsize, files, ffree } = fs.statfsSync(dir);
    // Some file systems do not count files.
    if (files > 0 && ffree === 0) return [{ dir, bytes: 0, words: "no more files" }];
    const bytes = bavail * bsize;
    return [{ dir, bytes, words: `${Math.floor(bytes / 1024)} KiB left` }];
  } catch {
    return [];
  }
}

/** Less than SQLite or git need for anything. */
const NOTHING = 64 * 1024;

export function hasNoRoom(dir: string): boolean {
  return roomIn(dir).some(({ bytes }) => bytes < NOTHING);
}

/** The folder whose disk has least room, in words. */
export function fullest(dirs: readonly string[]): string {
  const [least] = dirs.flatMap(roomIn).sort((a, b) => a.bytes - b.bytes);
  return least ? `the disk is full: ${least.words} in ${least.dir}` : "the disk is full";
}

// What is read of a log to be sent: its beginning and its end, because the middle of a long one is not kept.
import fs from "node:fs";
import { LOG_HEAD_BYTES, LOG_TAIL_BYTES, type LogPiece } from "#spec/shared-logs";

/** Goes over a slow line well within the time that a statement has. */
const MOST_BYTES = 262_144;

/** Only ever of a regular file, and never through a link or from a FIFO that somebody put in its place. */
function openLog(file: string): number | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
  try {
    const handle = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fs.fstatSync(handle).isFile()) return handle;
    fs.closeSync(handle);
  } catch {
    // Whoever it is the log of may have removed it.
  }
  return undefined;
}

/** Where there is something to be sent, of what lies between the two places. */
function ranges(from: number, to: number): readonly (readonly [from: number, to: number])[] {
  const end = Math.max(from, LOG_HEAD_BYTES, to - LOG_TAIL_BYTES);
  return [
    [from, Math.min(to, LOG_HEAD_BYTES)],
    [end, to],
  ];
}

function readAt(handle: number, at: number, length: number): LogPiece {
  const bytes = Buffer.alloc(length);
  return { at, bytes: bytes.subarray(0, fs.readSync(handle, bytes, 0, length, at)) };
}

/** What is to be sent of the bytes between the two places. */
export function* piecesOf(file: string, from: number, to: number): Generator<LogPiece, void> {
  const handle = openLog(file);
  if (handle === undefined) return;
  try {
    for (const [start, end] of ranges(from, to))
      for (let at = start; at < end; ) {
        const piece = readAt(handle, at, Math.min(MOST_BYTES, end - at));
        // Shorter than a moment ago: the next look finds out.
        if (piece.bytes.length === 0) return;
        at += piece.bytes.length;
        yield piece;
      }
  } finally {
    fs.closeSync(handle);
  }
}

/** The file says the same there. */
export function says(file: string, { at, bytes }: LogPiece): boolean {
  const handle = openLog(file);
  if (handle === undefined) return false;
  try {
    return Buffer.compare(readAt(handle, at, bytes.length).bytes, bytes) === 0;
  } finally {
    fs.closeSync(handle);
  }
}

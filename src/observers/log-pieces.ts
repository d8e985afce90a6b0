// Reads the pieces of a log to send: its head and its tail. The middle of a long log is not kept.
import fs from "node:fs";
import { LOG_HEAD_BYTES, LOG_TAIL_BYTES, type LogPiece } from "#spec/shared-logs";

/** Small enough to send over a slow connection well within the statement timeout. */
const MAX_PIECE_BYTES = 262_144;

/** Opens only a regular file, never a symlink or a FIFO that somebody put in its place. */
function openLog(file: string): number | undefined {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
  try {
    const handle = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fs.fstatSync(handle).isFile()) return handle;
    fs.closeSync(handle);
  } catch {
    // The owner of the log may have deleted it.
  }
  return undefined;
}

/** The byte rangesToSend between `from` and `to` that belong to the head or the tail. */
function rangesToSend(from: number, to: number): readonly (readonly [from: number, to: number])[] {
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

/** Yields the head and tail bytes between `from` and `to`. */
export function* piecesOf(file: string, from: number, to: number): Generator<LogPiece, void> {
  const handle = openLog(file);
  if (handle === undefined) return;
  try {
    for (const [start, end] of rangesToSend(from, to))
      for (let at = start; at < end; ) {
        const piece = readAt(handle, at, Math.min(MAX_PIECE_BYTES, end - at));
        // The file has shrunk since; the next poll notices.
        if (piece.bytes.length === 0) return;
        at += piece.bytes.length;
        yield piece;
      }
  } finally {
    fs.closeSync(handle);
  }
}

/** Whether the file has the same bytes at that position. */
export function hasSameBytes(file: string, { at, bytes }: LogPiece): boolean {
  const handle = openLog(file);
  if (handle === undefined) return false;
  try {
    return Buffer.compare(readAt(handle, at, bytes.length).bytes, bytes) === 0;
  } finally {
    fs.closeSync(handle);
  }
}

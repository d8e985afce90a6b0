// Reads a piece of a log as plain text, cut at a line or at least at a character boundary.
import fs from "node:fs";
import { UsageError } from "#spec/errors";
import type { LogPiece } from "#spec/overview";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { plain } from "#text/plain-text";
import { fetchLogs } from "./fetch-logs.ts";
import { logFiles } from "./log-files.ts";

export interface LogPieceQuery {
  readonly iteration: number;
  readonly part: string;
  readonly stream: string;
  /** Byte offset; a negative offset counts from the end. */
  readonly from: number;
  readonly bytes: number;
}

const LINE_END = 0x0a;
/** A UTF-8 character has at most three continuation bytes. */
const MAX_CONTINUATION = 3;

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Offset of the first complete line, or else of the first complete character. */
function firstBoundary(bytes: Buffer): number {
  const line = bytes.indexOf(LINE_END) + 1;
  if (line > 0 && line < bytes.length) return line;
  let at = 0;
  while (at < MAX_CONTINUATION && isContinuation(bytes[at])) at++;
  return at;
}

/** Offset after the last complete character, or the whole length when there is none. */
function characterEnd(bytes: Buffer): number {
  let at = bytes.length;
  while (at > bytes.length - MAX_CONTINUATION && isContinuation(bytes[at - 1])) at--;
  const lead = bytes[at - 1] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const present = bytes.length - (at - 1);
  return present >= needed || at <= 1 ? bytes.length : at - 1;
}

/** Offset after the last complete line, or else character. The end of a log may be an incomplete line. */
function lastBoundary(bytes: Buffer, isEnd: boolean): number {
  const line = isEnd ? 0 : bytes.lastIndexOf(LINE_END) + 1;
  return line > 0 ? line : characterEnd(bytes);
}

function read(file: string, query: LogPieceQuery): LogPiece {
  // Non-blocking: a FIFO planted in place of the log must not hang the process.
  const handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  try {
    const stat = fs.fstatSync(handle);
    const size = stat.isFile() ? stat.size : 0;
    const from = Math.min(size, query.from < 0 ? Math.max(0, size + query.from) : query.from);
    const buffer = Buffer.alloc(Math.min(query.bytes, size - from));
    const bytes = buffer.subarray(0, fs.readSync(handle, buffer, 0, buffer.length, from));
    const start = query.from < 0 && from > 0 ? firstBoundary(bytes) : 0;
    const end = Math.max(start, lastBoundary(bytes, from + bytes.length >= size));
    const text = plain(bytes.subarray(start, end).toString("utf8"));
    return { text, from: from + start, to: from + end, bytes: size };
  } finally {
    fs.closeSync(handle);
  }
}

/** Looks the log up among the existing files: neither part nor stream ever becomes a path. */
export async function logPiece(app: Context, run: Run, query: LogPieceQuery): Promise<LogPiece> {
  await fetchLogs(app, run.id, query.iteration);
  const logs = logFiles(app, run, query.iteration);
  const log = logs.find(({ part, stream }) => part === query.part && stream === query.stream);
  if (log) return read(log.file, query);
  const available = logs.map(({ part, stream }) => `${part} ${stream}`).join(", ");
  throw new UsageError(
    `iteration ${query.iteration} of run ${run.id} has no such log; ${available === "" ? "it has none yet" : `it has ${plain(available)}`}`,
  );
}

// A piece of a log as people read it: plain, and cut where a line or at least a character ends.
import fs from "node:fs";
import { UsageError } from "#spec/errors";
import type { LogPiece } from "#spec/overview";
import type { Run } from "#spec/run";
import type { App } from "#state/context";
import { plain } from "#text/plain-text";
import { fetchLogs } from "./fetch-logs.ts";
import { logFiles } from "./log-files.ts";

export interface WantedPiece {
  readonly iteration: number;
  readonly part: string;
  readonly stream: string;
  /** Byte to begin at; negative: so many before the end. */
  readonly from: number;
  readonly bytes: number;
}

const LINE_END = 0x0a;
/** A character of UTF-8 has up to three bytes that go on. */
const LONGEST_TAIL = 3;

const goesOn = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where the first whole line, or else the first whole character, begins. */
function beginning(bytes: Buffer): number {
  const line = bytes.indexOf(LINE_END) + 1;
  if (line > 0 && line < bytes.length) return line;
  let at = 0;
  while (at < LONGEST_TAIL && goesOn(bytes[at])) at++;
  return at;
}

/** Where the last whole character ends; all of it when that is none. */
function characterEnd(bytes: Buffer): number {
  let at = bytes.length;
  while (at > bytes.length - LONGEST_TAIL && goesOn(bytes[at - 1])) at--;
  const lead = bytes[at - 1] ?? 0;
  const wants = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const has = bytes.length - (at - 1);
  return has >= wants || at <= 1 ? bytes.length : at - 1;
}

/** Where the last whole line, or else the last whole character, ends. At its end a log may break off within a line. */
function ending(bytes: Buffer, isEnd: boolean): number {
  const line = isEnd ? 0 : bytes.lastIndexOf(LINE_END) + 1;
  return line > 0 ? line : characterEnd(bytes);
}

function read(file: string, wanted: WantedPiece): LogPiece {
  // Non-blocking: a FIFO planted in the place of a log must not hang us.
  const handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  try {
    const stat = fs.fstatSync(handle);
    const size = stat.isFile() ? stat.size : 0;
    const from = Math.min(size, wanted.from < 0 ? Math.max(0, size + wanted.from) : wanted.from);
    const buffer = Buffer.alloc(Math.min(wanted.bytes, size - from));
    const bytes = buffer.subarray(0, fs.readSync(handle, buffer, 0, buffer.length, from));
    const start = wanted.from < 0 && from > 0 ? beginning(bytes) : 0;
    const end = Math.max(start, ending(bytes, from + bytes.length >= size));
    const text = plain(bytes.subarray(start, end).toString("utf8"));
    return { text, from: from + start, to: from + end, bytes: size };
  } finally {
    fs.closeSync(handle);
  }
}

/** Only of logs that there are: neither the part nor the stream ever becomes a path. */
export async function logPiece(app: App, run: Run, wanted: WantedPiece): Promise<LogPiece> {
  await fetchLogs(app, run.id, wanted.iteration);
  const logs = logFiles(app, run, wanted.iteration);
  const found = logs.find(({ part, stream }) => part === wanted.part && stream === wanted.stream);
  if (found) return read(found.file, wanted);
  const there = logs.map(({ part, stream }) => `${part} ${stream}`).join(", ");
  throw new UsageError(
    `iteration ${wanted.iteration} of run ${run.id} has no such log; ${there === "" ? "it has none yet" : `it has ${plain(there)}`}`,
  );
}

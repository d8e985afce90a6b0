// Where what a process prints goes: masked, into its log up to a limit, and on to those who listen.
import fs from "node:fs";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { openLog, privateDir } from "../files.ts";
import { secrets } from "../secrets/secrets.ts";

export interface SinkOptions {
  /** File that it is appended to. */
  readonly log: string;
  /** A piece of text as it comes: the newest part, when there is much of it. */
  readonly onText?: (text: string) => void;
  /** Every line but those that are too long. */
  readonly onLine?: (line: string) => void;
}

/** More than this of one process is left out of the middle of its log. */
export const LOG_BYTES = 100 * 1024 * 1024;
const TAIL_BYTES = 256 * 1024;
/** A longer line is no message of an agent. */
const LINE_CHARS = 8 * 1024 * 1024;
const NEWEST_CHARS = 16_384;

/** Whoever it is the log of may have removed its folder meanwhile. */
function openAnew(file: string): number {
  privateDir(path.dirname(file));
  return openLog(file);
}

/**
 * Appends up to a limit, then keeps the newest bytes for the end. What is in its place already is looked at first; a log
 * that nobody writes to is not made. When it cannot be written, that is said at the end: the process is not at fault.
 */
function logWriter(file: string) {
  let handle = fs.existsSync(file) ? openLog(file) : undefined;
  let problem: Error | undefined;
  let room = LOG_BYTES;
  let left = 0;
  let newest: Buffer[] = [];
  let kept = 0;
  const append = (bytes: Buffer) => {
    if (problem || bytes.length === 0) return;
    try {
      handle ??= openAnew(file);
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(handle, bytes, at);
    } catch (error) {
      problem = new Error(`the log ${file} cannot be written: ${(error as Error).message}`);
    }
  };
  const keep = (bytes: Buffer) => {
    newest.push(Buffer.from(bytes));
    kept += bytes.length;
    for (let first = newest[0]; first && kept - first.length >= TAIL_BYTES; first = newest[0]) {
      left += first.length;
      kept -= first.length;
      newest.shift();
    }
  };
  return {
    write: (bytes: Buffer) => {
      const now = bytes.subarray(0, room);
      room -= now.length;
      append(now);
      if (now.length < bytes.length) keep(bytes.subarray(now.length));
    },
    close: () => {
      if (left > 0) append(Buffer.from(`\n[… ${left} bytes left out]\n`));
      for (const bytes of newest) append(bytes);
      newest = [];
      if (handle !== undefined) fs.closeSync(handle);
      if (problem) throw problem;
    },
  };
}

function lineSplitter(onLine: (line: string) => void) {
  let open = "";
  let tooLong = false;
  const decoder = new StringDecoder("utf8");
  const take = (text: string) => {
    const lines = text.split("\n");
    lines.forEach((part, index) => {
      if (!tooLong && open.length + part.length <= LINE_CHARS) open += part;
      else {
        open = "";
        tooLong = true;
      }
      if (index === lines.length - 1) return;
      if (!tooLong) onLine(open);
      open = "";
      tooLong = false;
    });
  };
  return {
    write: (bytes: Buffer) => take(decoder.write(bytes)),
    end: () => {
      take(decoder.end());
      if (open !== "" && !tooLong) onLine(open);
    },
  };
}

export interface Sink {
  take(bytes: Buffer): void;
  lastAt(): number;
  close(): void;
}

export function openSink({ log, onText, onLine }: SinkOptions): Sink {
  const writer = logWriter(log);
  const masked = secrets.stream();
  const lines = onLine && lineSplitter(onLine);
  const decoder = new StringDecoder("utf8");
  let lastAt = performance.now();
  const pass = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    writer.write(bytes);
    lines?.write(bytes);
    onText?.(decoder.write(bytes.subarray(-NEWEST_CHARS)));
  };
  return {
    take: (bytes) => {
      lastAt = performance.now();
      pass(masked.push(bytes));
    },
    lastAt: () => lastAt,
    close: () => {
      pass(masked.end());
      lines?.end();
      writer.close();
    },
  };
}

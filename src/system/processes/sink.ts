// Sink for process output: masks secrets, appends to a log with a size limit, and forwards text and lines.
import fs from "node:fs";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";
import { openLog, privateDir } from "../files.ts";
import { secrets } from "../secrets/secrets.ts";

export interface SinkOptions {
  /** The log file to append to. */
  readonly log: string;
  /** Receives text as it comes; when there is much of it, only the newest part. */
  readonly onText?: (text: string) => void;
  /** Receives every line except those above the length limit. */
  readonly onLine?: (line: string) => void;
}

/** Log limit per process; output above it is cut out of the middle. */
export const LOG_BYTES = 100 * 1024 * 1024;
const TAIL_BYTES = 256 * 1024;
/** A longer line cannot be an agent's message. */
const LINE_CHARS = 8 * 1024 * 1024;
const NEWEST_CHARS = 16_384;

/** The agent or gate may have deleted the log's folder meanwhile. */
function recreateLog(file: string): number {
  privateDir(path.dirname(file));
  return openLog(file);
}

/**
 * Appends up to the limit, then buffers the newest bytes for the end. An existing file is checked first; without output no
 * log is created. A write error is thrown on close, because the process is not at fault.
 */
function logWriter(file: string) {
  let handle = fs.existsSync(file) ? openLog(file) : undefined;
  let problem: Error | undefined;
  let remaining = LOG_BYTES;
  let omitted = 0;
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  const append = (bytes: Buffer) => {
    if (problem || bytes.length === 0) return;
    try {
      handle ??= recreateLog(file);
      for (let at = 0; at < bytes.length; ) at += fs.writeSync(handle, bytes, at);
    } catch (error) {
      problem = new Error(`the log ${file} cannot be written: ${(error as Error).message}`);
    }
  };
  const bufferNewest = (bytes: Buffer) => {
    buffered.push(Buffer.from(bytes));
    bufferedBytes += bytes.length;
    for (let first = buffered[0]; first && bufferedBytes - first.length >= TAIL_BYTES; first = buffered[0]) {
      omitted += first.length;
      bufferedBytes -= first.length;
      buffered.shift();
    }
  };
  return {
    write: (bytes: Buffer) => {
      const now = bytes.subarray(0, remaining);
      remaining -= now.length;
      append(now);
      if (now.length < bytes.length) bufferNewest(bytes.subarray(now.length));
    },
    close: () => {
      if (omitted > 0) append(Buffer.from(`\n[… ${omitted} bytes left out]\n`));
      for (const bytes of buffered) append(bytes);
      buffered = [];
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

// What a process prints: read from its pipe, masked, written to its log, and handed on in lines. Costs no memory, however much it is.
import fs from "node:fs";
import net from "node:net";
import { StringDecoder } from "node:string_decoder";
import { openLog } from "./files.ts";
import { openPipe } from "./pipe.ts";
import { secrets } from "./secrets.ts";

export interface OutputOptions {
  /** File that it is appended to. */
  readonly log: string;
  /** A piece of text as it comes: the newest part, when there is much of it. */
  readonly onText?: (text: string) => void;
  /** Every line but those that are too long. */
  readonly onLine?: (line: string) => void;
}

export interface Output {
  /** The end that the process writes to. */
  readonly writer: number;
  /** When something came last, by the monotonic clock. */
  lastAt(): number;
  /** The process has its end now; ours of it is closed. */
  handedOver(): void;
  /** Reads what is still there. What others hold open is not waited for. */
  finish(): Promise<void>;
  /** There will be no process. */
  discard(): void;
}

/** More than this of one process is left out of the middle of its log. */
export const LOG_BYTES = 100 * 1024 * 1024;
const TAIL_BYTES = 256 * 1024;
/** A longer line is no message of an agent. */
const LINE_CHARS = 8 * 1024 * 1024;
const NEWEST_CHARS = 16_384;
const QUIET_MS = 100;
const PATIENCE_MS = 2_000;

/** Appends up to a limit, then keeps the newest bytes for the end. */
function logWriter(file: string) {
  const handle = openLog(file);
  let room = LOG_BYTES;
  let left = 0;
  let newest: Buffer[] = [];
  let kept = 0;
  const append = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(handle, bytes, at);
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
      fs.closeSync(handle);
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

export function openOutput({ log, onText, onLine }: OutputOptions): Output {
  const writer = logWriter(log);
  const pipe = openPipe();
  const masked = secrets.stream();
  const lines = onLine && lineSplitter(onLine);
  const decoder = new StringDecoder("utf8");
  let lastAt = performance.now();
  const take = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    writer.write(bytes);
    lines?.write(bytes);
    onText?.(decoder.write(bytes.subarray(-NEWEST_CHARS)));
  };
  const socket = new net.Socket({ fd: pipe.reader, readable: true, writable: false });
  let ended = false;
  const atEnd = new Promise<void>((resolve) => {
    const end = () => {
      ended = true;
      resolve();
    };
    socket.once("end", end).once("error", end).once("close", end);
  });
  socket.on("data", (chunk) => {
    lastAt = performance.now();
    take(masked.push(chunk));
  });
  const close = () => {
    socket.destroy();
    take(masked.end());
    lines?.end();
    writer.close();
  };
  const handedOver = () => fs.closeSync(pipe.writer);
  return {
    writer: pipe.writer,
    lastAt: () => lastAt,
    handedOver,
    discard: () => {
      handedOver();
      close();
    },
    finish: async () => {
      const until = performance.now() + PATIENCE_MS;
      while (!ended && performance.now() < until) {
        const before = lastAt;
        const pause = new Promise<void>((resolve) => setTimeout(resolve, QUIET_MS));
        await Promise.race([atEnd, pause]);
        if (lastAt === before) break;
      }
      close();
    },
  };
}

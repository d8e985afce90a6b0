// What a process prints, taken as it comes. Costs no memory, however much it is.
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { openPipe } from "../pipe.ts";
import { openSink, type SinkOptions } from "./sink.ts";

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

/** What is read is taken before anything else happens: one for all. */
const PIECE = Buffer.allocUnsafe(64 * 1024);
/** Between these, others have their turn and garbage can go. */
const PIECES_AT_ONCE = 8;
const LOOK_MS = 100;
const QUIET_MS = 100;
const PATIENCE_MS = 2_000;
/** Counts the files, so that each has a name of its own for a moment. */
let opened = 0;

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_DIRECTORY } = fs.constants;
/** Makes a file that never had a name. Node does not name the flag; where the system does not know it, the call fails. */
const O_TMPFILE = 0o20000000 | O_DIRECTORY;

/** On the disk that the log will be on. */
function openNameless(log: string): number {
  try {
    return fs.openSync(path.dirname(log), O_RDWR | O_APPEND | O_TMPFILE, 0o600);
  } catch {
    const name = `${log}.${process.pid}.${opened++}`;
    const handle = fs.openSync(name, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
    fs.unlinkSync(name);
    return handle;
  }
}

/**
 * A file without a name. Unlike a pipe it loses nothing when a program prints much and exits at once, as many test
 * runners do, and what must not be seen is never in a file that somebody could open.
 */
export function openOutput(options: SinkOptions): Output {
  const sink = openSink(options);
  let handle: number;
  try {
    handle = openNameless(options.log);
  } catch (error) {
    sink.close();
    throw error;
  }
  let read = 0;
  /** True when there may be more. */
  const look = (): boolean => {
    for (let turn = 0; turn < PIECES_AT_ONCE; turn++) {
      const count = fs.readSync(handle, PIECE, 0, PIECE.length, read);
      if (count === 0) return false;
      read += count;
      sink.take(PIECE.subarray(0, count));
    }
    return true;
  };
  const timer = setInterval(look, LOOK_MS);
  const close = () => {
    clearInterval(timer);
    fs.closeSync(handle);
    sink.close();
  };
  return {
    writer: handle,
    lastAt: sink.lastAt,
    handedOver: () => {},
    discard: close,
    finish: async () => {
      clearInterval(timer);
      const size = fs.fstatSync(handle).size;
      // What somebody who got away still prints is not waited for.
      while (look() && read < size) await new Promise<void>((resolve) => setImmediate(resolve));
      close();
    },
  };
}

/** A pipe, for who is spoken with: what it prints is there at once. */
export function openTalk(options: SinkOptions): Output {
  const sink = openSink(options);
  const pipe = openPipe();
  const socket = new net.Socket({ fd: pipe.reader, readable: true, writable: false });
  let ended = false;
  const atEnd = new Promise<void>((resolve) => {
    const end = () => {
      ended = true;
      resolve();
    };
    socket.once("end", end).once("error", end).once("close", end);
  });
  socket.on("data", sink.take);
  const handedOver = () => fs.closeSync(pipe.writer);
  const close = () => {
    socket.destroy();
    sink.close();
  };
  return {
    writer: pipe.writer,
    lastAt: sink.lastAt,
    handedOver,
    discard: () => {
      handedOver();
      close();
    },
    finish: async () => {
      const until = performance.now() + PATIENCE_MS;
      while (!ended && performance.now() < until) {
        const before = sink.lastAt();
        await Promise.race([atEnd, new Promise<void>((resolve) => setTimeout(resolve, QUIET_MS))]);
        // A timer may be late and first in line: what has come meanwhile is read before we look.
        await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
        if (sink.lastAt() === before) break;
      }
      close();
    },
  };
}

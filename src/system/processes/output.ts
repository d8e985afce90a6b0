// Streams the output of a process into a sink with constant memory.
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { openPipe } from "../pipe.ts";
import { openSink, type SinkOptions } from "./sink.ts";

export interface Output {
  /** The descriptor that the process writes to. */
  readonly writer: number;
  /** Monotonic time of the last output. */
  lastAt(): number;
  /** Closes our copy of `writer`, once the process has its own. */
  releaseWriter(): void;
  /** Reads the remaining output and closes. Does not wait for other processes that hold the output open. */
  finish(): Promise<void>;
  /** Closes when the process could not be started. */
  discard(): void;
}

/** One shared read buffer: the sink consumes it synchronously. */
const READ_BUFFER = Buffer.allocUnsafe(64 * 1024);
/** Chunks per turn of the event loop, so that other work and garbage collection get their turn. */
const CHUNKS_PER_TURN = 8;
const POLL_MS = 100;
const QUIET_MS = 100;
const DRAIN_TIMEOUT_MS = 2_000;
/** Makes temporary file names unique. */
let fileCount = 0;

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_DIRECTORY } = fs.constants;
/** Flag for an unnamed file. Node has no constant for it; where the system lacks it, open fails. */
const O_TMPFILE = 0o20000000 | O_DIRECTORY;

/** Opens an unnamed file on the same disk as the log. */
function openUnnamed(log: string): number {
  try {
    return fs.openSync(path.dirname(log), O_RDWR | O_APPEND | O_TMPFILE, 0o600);
  } catch {
    const name = `${log}.${process.pid}.${fileCount++}`;
    const handle = fs.openSync(name, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
    fs.unlinkSync(name);
    return handle;
  }
}

/**
 * Output through an unnamed file. Unlike a pipe it loses nothing when a program prints much and exits at once, as many
 * test runners do, and unmasked output is never in a file that somebody could open.
 */
export function openOutput(options: SinkOptions): Output {
  const sink = openSink(options);
  let handle: number;
  try {
    handle = openUnnamed(options.log);
  } catch (error) {
    sink.close();
    throw error;
  }
  let read = 0;
  /** Reads available output; returns true when there may be more. */
  const readAvailable = (): boolean => {
    for (let turn = 0; turn < CHUNKS_PER_TURN; turn++) {
      const count = fs.readSync(handle, READ_BUFFER, 0, READ_BUFFER.length, read);
      if (count === 0) return false;
      read += count;
      sink.take(READ_BUFFER.subarray(0, count));
    }
    return true;
  };
  const timer = setInterval(readAvailable, POLL_MS);
  const close = () => {
    clearInterval(timer);
    fs.closeSync(handle);
    sink.close();
  };
  return {
    writer: handle,
    lastAt: sink.lastAt,
    releaseWriter: () => {},
    discard: close,
    finish: async () => {
      clearInterval(timer);
      const size = fs.fstatSync(handle).size;
      // Output that a surviving child still prints is ignored.
      while (readAvailable() && read < size) await new Promise<void>((resolve) => setImmediate(resolve));
      close();
    },
  };
}

/** Output through a pipe, for programs we talk to: it arrives without polling delay. */
export function openPipeOutput(options: SinkOptions): Output {
  const sink = openSink(options);
  const pipe = openPipe();
  const socket = new net.Socket({ fd: pipe.reader, readable: true, writable: false });
  let ended = false;
  const untilEnd = new Promise<void>((resolve) => {
    const end = () => {
      ended = true;
      resolve();
    };
    socket.once("end", end).once("error", end).once("close", end);
  });
  socket.on("data", sink.take);
  const releaseWriter = () => fs.closeSync(pipe.writer);
  const close = () => {
    socket.destroy();
    sink.close();
  };
  return {
    writer: pipe.writer,
    lastAt: sink.lastAt,
    releaseWriter,
    discard: () => {
      releaseWriter();
      close();
    },
    finish: async () => {
      const deadline = performance.now() + DRAIN_TIMEOUT_MS;
      while (!ended && performance.now() < deadline) {
        const before = sink.lastAt();
        await Promise.race([untilEnd, new Promise<void>((resolve) => setTimeout(resolve, QUIET_MS))]);
        // The timer may fire late, before pending reads: let those run first.
        await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
        if (sink.lastAt() === before) break;
      }
      close();
    },
  };
}

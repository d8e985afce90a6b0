// How children learn that we are gone, however we went: a pipe whose only writer is this process.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

interface Lifeline {
  /** For children to read: it says nothing, and ends with us. */
  readonly reader: number;
  /** Held open, and nothing else. Node never passes it on. */
  readonly writer: number;
}

let made: Lifeline | undefined;

function make(): Lifeline {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "converge-"));
  try {
    const fifo = path.join(dir, "lifeline");
    const { status, stderr, error } = spawnSync("mkfifo", ["-m", "600", fifo], { encoding: "utf8" });
    if (status !== 0) throw new Error(`mkfifo failed: ${error?.message ?? stderr}`);
    // Both ways first: opening it only to read would wait for a writer.
    const writer = fs.openSync(fifo, fs.constants.O_RDWR);
    return { writer, reader: fs.openSync(fifo, fs.constants.O_RDONLY) };
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** One for all children of this process, made when the first one needs it. */
export function lifeline(): number {
  made ??= make();
  return made.reader;
}

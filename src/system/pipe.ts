// Named pipes (FIFOs) for child processes. Node's own stdio pipes are sockets, on which `> /dev/stderr` fails.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export interface Pipe {
  readonly reader: number;
  readonly writer: number;
}

/** Batch size: one mkfifo call creates many pipes in the time of one. */
const BATCH_SIZE = 32;

let folder: string | undefined;
const ready: string[] = [];

/** The folder that holds the pipes; deleted when this process exits normally. */
export function pipeFolder(): string {
  if (folder !== undefined) return folder;
  const created = fs.mkdtempSync(path.join(os.tmpdir(), "converge-"));
  process.once("exit", () => fs.rmSync(created, { recursive: true, force: true }));
  folder = created;
  return created;
}

function createBatch(): void {
  const names = Array.from({ length: BATCH_SIZE }, (_, index) => path.join(pipeFolder(), String(index)));
  const { status, stderr, error } = spawnSync("mkfifo", ["-m", "600", ...names], { encoding: "utf8" });
  if (status !== 0) throw new Error(`mkfifo failed: ${error?.message ?? stderr}`);
  ready.push(...names);
}

/** Opens a pipe that no other process can open: its name is deleted before this returns. */
export function openPipe(): Pipe {
  if (ready.length === 0) createBatch();
  const name = ready.pop() ?? "";
  // Open for reading and writing first: a one-way open blocks until the other end is open.
  const both = fs.openSync(name, fs.constants.O_RDWR);
  try {
    const reader = fs.openSync(name, fs.constants.O_RDONLY);
    return { reader, writer: fs.openSync(name, fs.constants.O_WRONLY) };
  } finally {
    fs.closeSync(both);
    fs.rmSync(name, { force: true });
  }
}

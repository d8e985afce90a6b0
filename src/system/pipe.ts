// Real pipes. What Node itself makes for a child are sockets, which cannot be opened by name: `> /dev/stderr` would fail.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export interface Pipe {
  readonly reader: number;
  readonly writer: number;
}

/** Made in one go, because making one takes as long as making many. */
const AT_ONCE = 32;

let folder: string | undefined;
const ready: string[] = [];

/** The folder that pipes are made in; gone when this process ends well. */
export function pipeFolder(): string {
  if (folder !== undefined) return folder;
  const made = fs.mkdtempSync(path.join(os.tmpdir(), "converge-"));
  process.once("exit", () => fs.rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}

function makeMore(): void {
  const names = Array.from({ length: AT_ONCE }, (_, index) => path.join(pipeFolder(), String(index)));
  const { status, stderr, error } = spawnSync("mkfifo", ["-m", "600", ...names], { encoding: "utf8" });
  if (status !== 0) throw new Error(`mkfifo failed: ${error?.message ?? stderr}`);
  ready.push(...names);
}

/** Nobody else can open it: its name is gone when this returns. */
export function openPipe(): Pipe {
  if (ready.length === 0) makeMore();
  const name = ready.pop() ?? "";
  // Both ways first: opened one way, it would wait for the other end.
  const both = fs.openSync(name, fs.constants.O_RDWR);
  try {
    const reader = fs.openSync(name, fs.constants.O_RDONLY);
    return { reader, writer: fs.openSync(name, fs.constants.O_WRONLY) };
  } finally {
    fs.closeSync(both);
    fs.rmSync(name, { force: true });
  }
}

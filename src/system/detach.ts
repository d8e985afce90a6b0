// Starts a process of our own that outlives this one.
import { spawn } from "node:child_process";
import fs from "node:fs";

export interface Detached {
  /** It has ended already. */
  over(): boolean;
}

export function startDetached(program: string, args: readonly string[], cwd: string, log: string): Detached {
  const output = fs.openSync(log, "a", 0o600);
  try {
    const child = spawn(program, args, { cwd, detached: true, stdio: ["ignore", output, output] });
    let failed = false;
    // A program that is not there has never begun.
    child.once("error", () => {
      failed = true;
    });
    child.unref();
    return { over: () => failed || child.exitCode !== null || child.signalCode !== null };
  } finally {
    fs.closeSync(output);
  }
}

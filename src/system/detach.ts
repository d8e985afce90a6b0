// Starts a detached process that outlives this one.
import { spawn } from "node:child_process";
import fs from "node:fs";

export interface Detached {
  /** Whether the process has exited or could not be started. */
  hasEnded(): boolean;
}

interface DetachedPlace {
  readonly cwd: string;
  /** File for everything the process prints. */
  readonly log: string;
}

export function startDetached(
  program: string,
  args: readonly string[],
  { cwd, log }: DetachedPlace,
): Detached {
  const output = fs.openSync(log, "a", 0o600);
  try {
    const child = spawn(program, args, { cwd, detached: true, stdio: ["ignore", output, output] });
    let failed = false;
    // A missing program emits "error" and never "exit".
    child.once("error", () => {
      failed = true;
    });
    child.unref();
    return { hasEnded: () => failed || child.exitCode !== null || child.signalCode !== null };
  } finally {
    fs.closeSync(output);
  }
}

// Tracks the first process inside a sandbox: signals go to its group, and the sandbox ends when it ends.
import type { Readable } from "node:stream";
import { statOf } from "../sweep.ts";

export interface Inside {
  /** Signals the process group inside; the sandbox program itself gets no signal. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when no process is left inside. */
  gone(): Promise<void>;
}

const POLL_MS = 5;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, POLL_MS));

/** Reads the PID that bwrap reports; undefined when bwrap ended before it started a process. */
async function readFirstPid(report: Readable): Promise<number | undefined> {
  let text = "";
  try {
    for await (const piece of report) text += piece;
    const pid = JSON.parse(text)["child-pid"];
    return Number.isInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already exited.
  }
}

/** The first process of a PID namespace exits only after all others: the kernel guarantees that. */
function isRunning(pid: number): boolean {
  const stat = statOf(pid);
  return stat?.name === "bwrap" && stat.state !== "Z" && stat.state !== "X";
}

export function inside(report: Readable): Inside {
  const first = readFirstPid(report);
  return {
    signal: (name) => void first.then((pid) => pid !== undefined && send(-pid, name)),
    gone: async () => {
      const pid = await first;
      while (pid !== undefined && isRunning(pid)) {
        send(pid, "SIGKILL");
        await pause();
      }
    },
  };
}

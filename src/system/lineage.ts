// Lists this process and its ancestor processes, with the runs they work for.
import fs from "node:fs";
import { MARK } from "./guard.ts";
import { statOf } from "./sweep.ts";

export interface Ancestor {
  readonly pid: number;
  /** The run in the process's CONVERGE_RUN variable. */
  readonly run?: string;
}

/** Depth limit that stops a loop caused by reused PIDs. */
const MAX_DEPTH = 100;

/** Reads the mark from the environment the process was started with, which it cannot change afterwards. */
function markOf(pid: number): string | undefined {
  try {
    const variables = fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.find((variable) => variable.startsWith(`${MARK}=`))?.slice(MARK.length + 1);
  } catch {
    return undefined;
  }
}

/** Nearest ancestor first. Without /proc, only this process is known. */
export function lineage(): Ancestor[] {
  const own = process.env[MARK] ?? markOf(process.pid);
  const ancestors: Ancestor[] = [{ pid: process.pid, ...(own && { run: own }) }];
  for (let pid = process.ppid; pid > 1 && ancestors.length < MAX_DEPTH; pid = statOf(pid)?.parent ?? 0) {
    const run = markOf(pid);
    ancestors.push({ pid, ...(run && { run }) });
  }
  return ancestors;
}

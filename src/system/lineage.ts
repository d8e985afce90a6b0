// Who started us: this process and those it descends from, and the runs that they work for.
import fs from "node:fs";
import { MARK } from "./guard.ts";
import { statOf } from "./sweep.ts";

export interface Forebear {
  readonly pid: number;
  /** The run whose mark it carries. */
  readonly run?: string;
}

/** No tree of processes is deeper; a chain that is longer has no end. */
const DEEPEST = 100;

/** What the process was started with; it may have changed its variables since, but not this. */
function markOf(pid: number): string | undefined {
  try {
    const variables = fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.find((variable) => variable.startsWith(`${MARK}=`))?.slice(MARK.length + 1);
  } catch {
    return undefined;
  }
}

/** Nearest first. Where there is no /proc, only this process is known. */
export function lineage(): Forebear[] {
  const own = process.env[MARK] ?? markOf(process.pid);
  const found: Forebear[] = [{ pid: process.pid, ...(own && { run: own }) }];
  for (let pid = process.ppid; pid > 1 && found.length < DEEPEST; pid = statOf(pid)?.parent ?? 0) {
    const run = markOf(pid);
    found.push({ pid, ...(run && { run }) });
  }
  return found;
}

// Finds and ends processes that an agent or a gate left behind, by process group and by the mark in their environment.
import fs from "node:fs";
import { BY, MARK, ownMark, processMark } from "./guard.ts";

export interface SweepOptions {
  readonly group?: number;
  /** The group began a moment ago, so what it started has numbers right after its own: no need to look at all. */
  readonly young?: boolean;
}

interface Found {
  readonly pid: number;
  readonly name: string;
}

interface Stat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly name: string;
}

export function statOf(pid: number): Stat | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const close = text.lastIndexOf(")");
    const [state = "", parent = "", group = ""] = text.slice(close + 2).split(" ");
    const name = text.slice(text.indexOf("(") + 1, close);
    return { state, parent: Number(parent), group: Number(group), name };
  } catch {
    return undefined;
  }
}

/** It works for the run, and for nobody else who is alive. */
function marked(pid: number, run: string): boolean {
  try {
    const variables = fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    if (!variables.includes(`${MARK}=${run}`)) return false;
    const by = variables.find((one) => one.startsWith(`${BY}=`))?.slice(BY.length + 1);
    return by === undefined || by === ownMark || processMark(Number.parseInt(by, 10)) !== by;
  } catch {
    return false;
  }
}

/** The processes younger than `after`, when there are few; all of them otherwise. */
function candidates(after: number | undefined): number[] {
  const newest = Number(fs.readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
  if (after !== undefined && newest >= after && newest - after < 256)
    return Array.from({ length: newest - after }, (_, index) => after + 1 + index);
  return fs.readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function find(run: string, { group, young }: SweepOptions): Found[] {
  const found: Found[] = [];
  for (const pid of candidates(young ? group : undefined)) {
    if (pid === process.pid) continue;
    const stat = statOf(pid);
    if (!stat || stat.state === "Z" || stat.state === "X") continue;
    if (stat.group === group || marked(pid, run)) found.push({ pid, name: stat.name });
  }
  return found;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}

const SETTLE_MS = 10;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Ends everything that carries the run's mark or belongs to the process group, and names it.
 * Repeats until a look finds nothing, because what is killed may have forked a moment before.
 */
export async function sweep(run: string, options: SweepOptions = {}): Promise<string[]> {
  const { group } = options;
  const end = () => group !== undefined && kill(-group);
  if (process.platform !== "linux") {
    end();
    return [];
  }
  if (find(run, options).length === 0) return [];
  // What is about to end by itself was not left behind.
  await pause(SETTLE_MS);
  const ended = new Map<number, string>();
  for (let round = 0; round < 100; round++) {
    const found = find(run, options);
    if (found.length === 0) break;
    end();
    for (const { pid, name } of found) {
      ended.set(pid, name);
      kill(pid);
    }
    await pause(Math.min(50, round * 2));
  }
  return [...ended].map(([pid, name]) => `${name} (${pid})`);
}

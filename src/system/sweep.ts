// Finds and kills processes that an agent or a gate left behind, by process group and by the mark in their environment.
import fs from "node:fs";
import { BY, MARK, ownMark, processMark } from "./guard.ts";

export interface SweepOptions {
  readonly group?: number;
  /** The group started a moment ago, so its children have the next PIDs: no scan of all processes is needed. */
  readonly young?: boolean;
}

interface Leftover {
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

/** Whether the process works for the run, and for no other living driver. */
function isMarked(pid: number, run: string): boolean {
  try {
    const variables = fs.readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    if (!variables.includes(`${MARK}=${run}`)) return false;
    const by = variables.find((one) => one.startsWith(`${BY}=`))?.slice(BY.length + 1);
    return by === undefined || by === ownMark || processMark(Number.parseInt(by, 10)) !== by;
  } catch {
    return false;
  }
}

/** PIDs after `after` when there are few; otherwise all. */
function candidates(after: number | undefined): number[] {
  const newest = Number(fs.readFileSync("/proc/loadavg", "latin1").trim().split(" ").at(-1));
  if (after !== undefined && newest >= after && newest - after < 256)
    return Array.from({ length: newest - after }, (_, index) => after + 1 + index);
  return fs.readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function findLeftovers(run: string, { group, young }: SweepOptions): Leftover[] {
  const leftovers: Leftover[] = [];
  for (const pid of candidates(young ? group : undefined)) {
    if (pid === process.pid) continue;
    const stat = statOf(pid);
    if (!stat || stat.state === "Z" || stat.state === "X") continue;
    if (stat.group === group || isMarked(pid, run)) leftovers.push({ pid, name: stat.name });
  }
  return leftovers;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already exited.
  }
}

const SETTLE_MS = 10;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Kills everything that carries the run's mark or belongs to the process group, and returns the names.
 * Repeats until a scan finds nothing, because a killed process may have forked just before.
 */
export async function sweep(run: string, options: SweepOptions = {}): Promise<string[]> {
  const { group } = options;
  const killGroup = () => group !== undefined && kill(-group);
  if (process.platform !== "linux") {
    killGroup();
    return [];
  }
  if (findLeftovers(run, options).length === 0) return [];
  // Give processes that are about to exit by themselves a moment.
  await pause(SETTLE_MS);
  const killed = new Map<number, string>();
  for (let round = 0; round < 100; round++) {
    const leftovers = findLeftovers(run, options);
    if (leftovers.length === 0) break;
    killGroup();
    for (const { pid, name } of leftovers) {
      killed.set(pid, name);
      kill(pid);
    }
    await pause(Math.min(50, round * 2));
  }
  return [...killed].map(([pid, name]) => `${name} (${pid})`);
}

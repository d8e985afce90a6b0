// Probes whether the sandbox programs work on this machine, by running each once.
import { spawnSync } from "node:child_process";
import { which } from "../which.ts";

const SECOND_MS = 1_000;

/** The reason why a sandbox does not work; undefined when it does. */
type Reason = string | undefined;

const findProgram = (name: string): string | undefined => which(name, process.env.PATH ?? "");

export function bwrapProgram(): string {
  return findProgram("bwrap") ?? "bwrap";
}

export function srtProgram(): string {
  return findProgram("srt") ?? "srt";
}

function probe(program: string, args: readonly string[], seconds: number): Reason {
  const { status, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: seconds * SECOND_MS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status === 0) return undefined;
  const detail = (error?.message ?? stderr).trim().split("\n").at(-1) || `exit ${status}`;
  return `does not work here (${detail})`;
}

/** Cache per program: what the machine supports does not change while this process runs. */
const cache = new Map<string, Reason>();

function probeOnce(program: string, run: () => Reason): Reason {
  if (!cache.has(program)) cache.set(program, run());
  return cache.get(program);
}

export function whyNoBwrap(): Reason {
  const program = findProgram("bwrap");
  if (program === undefined) return "bwrap is not installed";
  const args = ["--bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent", "--new-session"];
  const why = probeOnce(program, () => probe(program, [...args, "--", "/bin/sh", "-c", ":"], 10));
  return why && `bwrap ${why}`;
}

export function whyNoSrt(): Reason {
  const program = findProgram("srt");
  if (program === undefined) return "srt is not installed";
  const why = probeOnce(program, () => probe(program, ["-c", ":"], 30));
  return why && `srt ${why}`;
}

// Whether this machine can shut processes off, found out by doing it once.
import { spawnSync } from "node:child_process";
import { which } from "../which.ts";

const SECOND_MS = 1_000;

/** Why not; undefined when it works. */
type Answer = string | undefined;

const find = (name: string): string | undefined => which(name, process.env.PATH ?? "");

export function bwrapProgram(): string {
  return find("bwrap") ?? "bwrap";
}

export function srtProgram(): string {
  return find("srt") ?? "srt";
}

function tried(program: string, args: readonly string[], seconds: number): Answer {
  const { status, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: seconds * SECOND_MS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status === 0) return undefined;
  const said = (error?.message ?? stderr).trim().split("\n").at(-1) || `exit ${status}`;
  return `does not work here (${said})`;
}

/** Once per process and program: what a machine can do does not change under us. */
const known = new Map<string, Answer>();

function remembered(program: string, look: () => Answer): Answer {
  if (!known.has(program)) known.set(program, look());
  return known.get(program);
}

export function whyNoBwrap(): Answer {
  const program = find("bwrap");
  if (program === undefined) return "bwrap is not installed";
  const args = ["--bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent", "--new-session"];
  const why = remembered(program, () => tried(program, [...args, "--", "/bin/sh", "-c", ":"], 10));
  return why && `bwrap ${why}`;
}

export function whyNoSrt(): Answer {
  const program = find("srt");
  if (program === undefined) return "srt is not installed";
  const why = remembered(program, () => tried(program, ["-c", ":"], 30));
  return why && `srt ${why}`;
}

// The one place that starts other people's processes: bounded in time, output straight to files, nobody left behind.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { LONGEST_TIMER } from "./clock.ts";
import { openLog, readTail, sizeOf } from "./files.ts";
import { guard, MARK } from "./guard.ts";
import { plainWords } from "./plain-words.ts";
import { sweep } from "./sweep.ts";

export interface ProcessRequest {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  /** The run it works for. */
  readonly run: string;
  /** Used instead of our own environment. */
  readonly base?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** File to read standard input from; without it there is nothing to read. */
  readonly stdin?: string;
  /** Files that standard output and error are appended to. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timeoutMs: number;
  /** Longest time without a byte of output. */
  readonly idleMs?: number;
  readonly onOutput?: (text: string) => void;
  readonly grace?: Grace;
}

/** How long a process may take to heed INT, then TERM, before KILL. */
export interface Grace {
  readonly interruptMs: number;
  readonly terminateMs: number;
}

export type Cause = "exited" | "timed-out" | "idle" | "cancelled" | "not-started";

export interface ProcessEnd {
  /** The first thing that ended it. */
  readonly cause: Cause;
  readonly exitCode: number | null;
  /** Why it could not be started. */
  readonly error?: string;
  readonly durationMs: number;
  /** What it left running, now ended. */
  readonly leftBehind: readonly string[];
  /** Where its own output begins in the files. */
  readonly stdoutFrom: number;
  readonly stderrFrom: number;
}

const GRACE: Grace = { interruptMs: 7_500, terminateMs: 2_500 };
const POLL_MS = 200;
const NEWEST_BYTES = 16_384;
/** Process numbers cannot have gone round within this time. */
const YOUNG_MS = 1_000;

/** Unattended: nobody answers prompts, pages or passwords, and our own switches are not inherited. */
function environment(request: ProcessRequest): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _testing, CONVERGE_HOME: _home, ...inherited } = process.env;
  const unattended = { CI: "1", GIT_TERMINAL_PROMPT: "0", PAGER: "cat", GIT_PAGER: "cat" };
  return { ...(request.base ?? inherited), ...unattended, ...request.env, [MARK]: request.run };
}

function programOf(command: ProcessRequest["command"]): readonly string[] {
  if (typeof command !== "string") return command;
  return plainWords(command) ?? ["/bin/sh", "-c", command];
}

function start(request: ProcessRequest): ChildProcess {
  const [file = "", ...args] = programOf(request.command);
  const handles: number[] = [];
  try {
    handles.push(fs.openSync(request.stdin ?? "/dev/null", "r"));
    for (const log of [request.stdout, request.stderr]) handles.push(openLog(log));
    guard.expect(request.run);
    // Detached: it leads a process group of its own, so that all of it can be ended at once.
    return spawn(file, args, { cwd: request.cwd, env: environment(request), detached: true, stdio: handles });
  } finally {
    for (const handle of handles) fs.closeSync(handle);
  }
}

/** Calls `onOutput` with what is new and `onIdle` after silence. Reads files, so a flood costs no memory. */
function watchOutput(request: ProcessRequest, from: readonly number[], onIdle: () => void): () => void {
  if (!request.onOutput && request.idleMs === undefined) return () => {};
  const files = [request.stdout, request.stderr];
  const seen = [...from];
  let quietSince = performance.now();
  const look = () => {
    files.forEach((file, index) => {
      const size = sizeOf(file);
      if (size <= (seen[index] ?? 0)) return;
      quietSince = performance.now();
      request.onOutput?.(readTail(file, NEWEST_BYTES, seen[index]));
      seen[index] = size;
    });
    if (request.idleMs !== undefined && performance.now() - quietSince >= request.idleMs) onIdle();
  };
  const timer = setInterval(look, Math.min(POLL_MS, request.idleMs ?? POLL_MS));
  return () => {
    clearInterval(timer);
    look();
  };
}

/** INT, TERM, KILL to the whole group, each after its grace. */
function endGroup(group: number, grace: Grace): () => void {
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-group, signal);
    } catch {
      // Already gone.
    }
  };
  send("SIGINT");
  const timers = [
    setTimeout(send, grace.interruptMs, "SIGTERM"),
    setTimeout(send, grace.interruptMs + grace.terminateMs, "SIGKILL"),
  ];
  return () => timers.forEach(clearTimeout);
}

// The codes a shell answers with when it cannot run a program.
const SHELL_CODES: Readonly<Record<string, number>> = { ENOENT: 127, ENOTDIR: 127, EACCES: 126 };

/** A program that the system would not run, told as a shell would tell it. */
function refused(
  error: NodeJS.ErrnoException,
  request: ProcessRequest,
  signal: AbortSignal,
  notStarted: (error: string) => ProcessEnd,
): ProcessEnd | Promise<ProcessEnd> {
  const { command } = request;
  // A script that does not name its interpreter: a shell takes it for one of its own.
  if (error.code === "ENOEXEC" && typeof command === "string")
    return runProcess({ ...request, command: ["/bin/sh", "-c", command] }, signal);
  const exitCode = SHELL_CODES[error.code ?? ""];
  if (exitCode === undefined) return notStarted(error.message);
  const [file] = programOf(command);
  const log = openLog(request.stderr);
  fs.writeSync(log, `sh: ${file}: ${exitCode === 127 ? "not found" : "Permission denied"}\n`);
  fs.closeSync(log);
  return { ...notStarted(error.message), cause: "exited", exitCode };
}

/**
 * Runs a process to its end. Resolves when it and all that it started are gone; never rejects for what it did.
 * Waits for `exit`, never for `close`: a grandchild that holds the output open cannot stall us.
 */
export async function runProcess(request: ProcessRequest, signal: AbortSignal): Promise<ProcessEnd> {
  const began = performance.now();
  const from = { stdoutFrom: sizeOf(request.stdout), stderrFrom: sizeOf(request.stderr) };
  const notStarted = (error: string): ProcessEnd => ({
    cause: "not-started",
    exitCode: null,
    error,
    durationMs: performance.now() - began,
    leftBehind: [],
    ...from,
  });
  if (signal.aborted) return { ...notStarted("cancelled"), cause: "cancelled" };
  if (!fs.existsSync(request.cwd)) return notStarted(`the folder ${request.cwd} is gone`);

  let child: ChildProcess;
  try {
    child = start(request);
  } catch (error) {
    return notStarted((error as Error).message);
  }
  const group = child.pid;
  if (group === undefined) {
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
    return refused(error, request, signal, notStarted);
  }
  guard.opened(group);

  let cause: Cause = "exited";
  let endTimers = () => {};
  const end = (why: Cause) => {
    if (cause !== "exited") return;
    cause = why;
    endTimers = endGroup(group, request.grace ?? GRACE);
  };
  const cancel = () => end("cancelled");
  signal.addEventListener("abort", cancel);
  const deadline = setTimeout(() => end("timed-out"), Math.min(request.timeoutMs, LONGEST_TIMER));
  const stopWatching = watchOutput(request, [from.stdoutFrom, from.stderrFrom], () => end("idle"));

  const exitCode = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearTimeout(deadline);
  endTimers();
  signal.removeEventListener("abort", cancel);
  const young = performance.now() - began < YOUNG_MS;
  const leftBehind = await sweep(request.run, { group, young });
  guard.closed(group);
  stopWatching();
  return { cause, exitCode, durationMs: performance.now() - began, leftBehind, ...from };
}

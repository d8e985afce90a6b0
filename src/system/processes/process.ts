// The one place that starts other people's processes: bounded in time, its output in files, nobody left behind.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { LONGEST_TIMER } from "../clock.ts";
import { enclose } from "../enclosure/enclose.ts";
import type { Enclosed, Enclosure } from "../enclosure/enclosure.ts";
import { type Inside, inside } from "../enclosure/inside.ts";
import { openLog, sizeOf } from "../files.ts";
import { BY, guard, MARK, ownMark } from "../guard.ts";
import { plainWords } from "../plain-words.ts";
import { sweep } from "../sweep.ts";
import { variablesHere } from "../variables.ts";
import { which } from "../which.ts";
import { type Output, openOutput, openTalk } from "./output.ts";

export interface ProcessRequest {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  /** The run it works for. */
  readonly run: string;
  /** The environment to start from, instead of our own. */
  readonly base?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** File to read standard input from; without it there is nothing to read. */
  readonly stdin?: string;
  /** Given standard input to write to instead, once the process is there. */
  readonly onStarted?: (input: Writable) => void;
  /** Files that standard output and error are appended to. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timeoutMs: number;
  /** Longest time without a byte of output. */
  readonly idleMs?: number;
  /** What it prints, as it comes; the newest part, when there is much of it. */
  readonly onOutput?: (text: string) => void;
  /** Every line of standard output. */
  readonly onLine?: (line: string) => void;
  readonly grace?: Grace;
  /** How it is shut off from the machine, besides leading a process group of its own. */
  readonly enclosure?: Enclosure;
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
  /** Time since its last output when it was cut off. */
  readonly silentMs?: number;
  /** What it left running, now ended. */
  readonly leftBehind: readonly string[];
  /** Where its own output begins in the files. */
  readonly stdoutFrom: number;
  readonly stderrFrom: number;
}

const GRACE: Grace = { interruptMs: 7_500, terminateMs: 2_500 };
const POLL_MS = 200;
/** Process numbers cannot have gone round within this time. */
const YOUNG_MS = 1_000;

/** Unattended: nobody answers prompts, pages or passwords, and our own switches are not inherited. */
function environment(request: ProcessRequest): NodeJS.ProcessEnv {
  const {
    NODE_TEST_CONTEXT: _testing,
    CONVERGE_HOME: _home,
    CONVERGE_DATABASE_URL: _database,
    ...inherited
  } = request.base ?? process.env;
  const unattended = { CI: "1", GIT_TERMINAL_PROMPT: "0", PAGER: "cat", GIT_PAGER: "cat" };
  // opencode believes the variable more than the system: inherited, it would lead to another folder.
  const own = { ...variablesHere(), ...request.env, [MARK]: request.run, [BY]: ownMark };
  return { ...inherited, ...unattended, PWD: request.cwd, ...own };
}

function programOf(command: ProcessRequest["command"]): readonly string[] {
  if (typeof command !== "string") return command;
  return plainWords(command) ?? ["/bin/sh", "-c", command];
}

/** With an environment of its own, a program is named by its whole path: what we looked at is what is started. */
function wholePath(file: string, request: ProcessRequest, env: NodeJS.ProcessEnv): string {
  return request.base && !file.includes("/") ? (which(file, env.PATH ?? "") ?? file) : file;
}

interface Begun {
  readonly child: ChildProcess;
  readonly outputs: readonly Output[];
  /** Who is there behind the program that encloses it. */
  readonly inside?: Inside;
}

function enclosed(program: readonly string[], { enclosure, cwd, stdout }: ProcessRequest): Enclosed {
  if (!enclosure) return { command: program, tells: false };
  return enclose(program, cwd, enclosure, path.dirname(stdout));
}

function openOutputs({ stdout, stderr, onOutput, onLine, onStarted }: ProcessRequest): Output[] {
  const onText = onOutput && { onText: onOutput };
  const open = onStarted ? openTalk : openOutput;
  const out = open({ log: stdout, ...onText, ...(onLine && { onLine }) });
  try {
    return [out, openOutput({ log: stderr, ...onText })];
  } catch (error) {
    out.discard();
    throw error;
  }
}

function start(request: ProcessRequest): Begun {
  const [name = "", ...words] = programOf(request.command);
  const wanted = environment(request);
  const { command, tells, env } = enclosed([wholePath(name, request, wanted), ...words], request);
  const [file = "", ...args] = command;
  const outputs = openOutputs(request);
  const input = request.onStarted ? ("pipe" as const) : fs.openSync(request.stdin ?? "/dev/null", "r");
  try {
    guard.expect();
    const stdio = [input, ...outputs.map(({ writer }) => writer), ...(tells ? ["pipe" as const] : [])];
    // Detached: it leads a process group of its own, so that all of it can be ended at once.
    const child = spawn(file, args, { cwd: request.cwd, env: { ...wanted, ...env }, detached: true, stdio });
    const told = child.pid === undefined ? undefined : child.stdio[3];
    return { child, outputs, ...(told && { inside: inside(told as Readable) }) };
  } finally {
    if (typeof input === "number") fs.closeSync(input);
    for (const output of outputs) output.handedOver();
  }
}

/** Time since the last byte of output. */
function silenceOf(outputs: readonly Output[]): number {
  return performance.now() - Math.max(...outputs.map(({ lastAt }) => lastAt()));
}

/** Calls `onIdle` after silence. */
function watchSilence(
  outputs: readonly Output[],
  idleMs: number | undefined,
  onIdle: () => void,
): () => void {
  if (idleMs === undefined) return () => {};
  const look = () => {
    if (silenceOf(outputs) >= idleMs) onIdle();
  };
  const timer = setInterval(look, Math.min(POLL_MS, idleMs));
  return () => clearInterval(timer);
}

/** INT, TERM, KILL to the whole group, each after its grace. Of who is enclosed, only the last is for the program around it. */
function endGroup(group: number, within: Inside | undefined, grace: Grace): () => void {
  const send = (signal: NodeJS.Signals) => {
    if (within && signal !== "SIGKILL") return within.signal(signal);
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

  let begun: Begun;
  try {
    begun = start(request);
  } catch (error) {
    return notStarted((error as Error).message);
  }
  const { child, outputs } = begun;
  const drain = () => Promise.all(outputs.map((output) => output.finish()));
  const group = child.pid;
  if (group === undefined) {
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
    await drain();
    return refused(error, request, signal, notStarted);
  }
  guard.opened(group);

  let cause: Cause = "exited";
  let silentMs: number | undefined;
  let endTimers = () => {};
  const end = (why: Cause) => {
    if (cause !== "exited") return;
    cause = why;
    silentMs = silenceOf(outputs);
    endTimers = endGroup(group, begun.inside, request.grace ?? GRACE);
  };
  const cancel = () => end("cancelled");
  signal.addEventListener("abort", cancel);
  const deadline = setTimeout(() => end("timed-out"), Math.min(request.timeoutMs, LONGEST_TIMER));
  const stopWatching = watchSilence(outputs, request.idleMs, () => end("idle"));
  if (child.stdin) request.onStarted?.(child.stdin);

  const exitCode = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearTimeout(deadline);
  endTimers();
  stopWatching();
  signal.removeEventListener("abort", cancel);
  await begun.inside?.gone();
  const young = performance.now() - began < YOUNG_MS;
  const leftBehind = await sweep(request.run, { group, young });
  guard.closed(group);
  await drain();
  const durationMs = performance.now() - began;
  return { cause, exitCode, durationMs, leftBehind, ...(silentMs !== undefined && { silentMs }), ...from };
}

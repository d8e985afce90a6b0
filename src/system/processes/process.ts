// The only place that starts external processes: timeouts, output in log files, and a kill of the whole process tree.
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { LONGEST_TIMER } from "../clock.ts";
import { wrapWithBwrap } from "../enclosure/bwrap.ts";
import type { Enclosed, Enclosure } from "../enclosure/enclosure.ts";
import { type Inside, inside } from "../enclosure/inside.ts";
import { wrapWithSrt } from "../enclosure/srt.ts";
import { openLog, sizeOf } from "../files.ts";
import { BY, guard, MARK, ownMark } from "../guard.ts";
import { plainWords } from "../shell.ts";
import { sweep } from "../sweep.ts";
import { currentVariables } from "../variables.ts";
import { which } from "../which.ts";
import { type Output, openOutput, openPipeOutput } from "./output.ts";

export interface ProcessRequest {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly cwd: string;
  /** The run it works for. */
  readonly run: string;
  /** Base environment, instead of our own. */
  readonly base?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** File for standard input; empty input without it. */
  readonly stdin?: string;
  /** Receives standard input to write to instead, once the process has started. */
  readonly onStarted?: (input: Writable) => void;
  /** Files that standard output and error are appended to. */
  readonly stdout: string;
  readonly stderr: string;
  readonly timeoutMs: number;
  /** Idle timeout: longest time without output. */
  readonly idleMs?: number;
  /** Receives output as it comes; when there is much of it, only the newest part. */
  readonly onOutput?: (text: string) => void;
  /** Receives every line of standard output. */
  readonly onLine?: (line: string) => void;
  readonly grace?: Grace;
  /** Sandbox of the process; it always leads a process group of its own. */
  readonly enclosure?: Enclosure;
}

/** Grace periods: how long a process may take to exit after SIGINT, and then after SIGTERM, before SIGKILL. */
export interface Grace {
  readonly interruptMs: number;
  readonly terminateMs: number;
}

export type Cause = "exited" | "timed-out" | "idle" | "cancelled" | "not-started";

export interface ProcessEnd {
  /** The first thing that ended the process. */
  readonly cause: Cause;
  readonly exitCode: number | null;
  /** Why the process could not be started. */
  readonly error?: string;
  readonly durationMs: number;
  /** Time since the last output when the process was cut off. */
  readonly silentMs?: number;
  /** Processes it left running, killed by now. */
  readonly leftBehind: readonly string[];
  /** Offsets in the log files where this process's output begins. */
  readonly stdoutFrom: number;
  readonly stderrFrom: number;
}

const GRACE: Grace = { interruptMs: 7_500, terminateMs: 2_500 };
const POLL_MS = 200;
/** PIDs cannot wrap around within this time. */
const YOUNG_MS = 1_000;

/** Environment without prompts, pagers or password dialogs, and without Converge's own settings. */
function environment(request: ProcessRequest): NodeJS.ProcessEnv {
  const {
    NODE_TEST_CONTEXT: _testing,
    CONVERGE_HOME: _home,
    CONVERGE_DATABASE_URL: _database,
    ...inherited
  } = request.base ?? process.env;
  const unattended = { CI: "1", GIT_TERMINAL_PROMPT: "0", PAGER: "cat", GIT_PAGER: "cat" };
  // PWD must match cwd: opencode trusts the variable over the system and would use another folder.
  const own = { ...currentVariables(), ...request.env, [MARK]: request.run, [BY]: ownMark };
  return { ...inherited, ...unattended, PWD: request.cwd, ...own };
}

function programOf(command: ProcessRequest["command"]): readonly string[] {
  if (typeof command !== "string") return command;
  return plainWords(command) ?? ["/bin/sh", "-c", command];
}

/** With a base environment of its own, a program is resolved to its full path first: the one we checked is the one started. */
function resolveProgram(file: string, request: ProcessRequest, env: NodeJS.ProcessEnv): string {
  return request.base && !file.includes("/") ? (which(file, env.PATH ?? "") ?? file) : file;
}

interface Started {
  readonly child: ChildProcess;
  readonly outputs: readonly Output[];
  /** The first process inside the sandbox. */
  readonly inside?: Inside;
}

function wrapInSandbox(program: readonly string[], { enclosure, cwd, stdout }: ProcessRequest): Enclosed {
  if (!enclosure) return { command: program, reportsPid: false };
  if (enclosure.by === "bwrap") return wrapWithBwrap(program, cwd, enclosure);
  return wrapWithSrt(program, enclosure, { cwd, folder: path.dirname(stdout) });
}

function openOutputs({ stdout, stderr, onOutput, onLine, onStarted }: ProcessRequest): Output[] {
  const onText = onOutput && { onText: onOutput };
  const open = onStarted ? openPipeOutput : openOutput;
  const out = open({ log: stdout, ...onText, ...(onLine && { onLine }) });
  try {
    return [out, openOutput({ log: stderr, ...onText })];
  } catch (error) {
    out.discard();
    throw error;
  }
}

function start(request: ProcessRequest): Started {
  const [name = "", ...words] = programOf(request.command);
  const baseEnv = environment(request);
  const { command, reportsPid, env } = wrapInSandbox(
    [resolveProgram(name, request, baseEnv), ...words],
    request,
  );
  const [file = "", ...args] = command;
  const outputs = openOutputs(request);
  const input = request.onStarted ? ("pipe" as const) : fs.openSync(request.stdin ?? "/dev/null", "r");
  try {
    guard.expect();
    const stdio = [input, ...outputs.map(({ writer }) => writer), ...(reportsPid ? ["pipe" as const] : [])];
    // Detached: the process leads its own process group, so that one signal reaches all of it.
    const child = spawn(file, args, { cwd: request.cwd, env: { ...baseEnv, ...env }, detached: true, stdio });
    const pidReport = child.pid === undefined ? undefined : child.stdio[3];
    return { child, outputs, ...(pidReport && { inside: inside(pidReport as Readable) }) };
  } finally {
    if (typeof input === "number") fs.closeSync(input);
    for (const output of outputs) output.releaseWriter();
  }
}

/** Time since the last byte of output. */
function silenceOf(outputs: readonly Output[]): number {
  return performance.now() - Math.max(...outputs.map(({ lastAt }) => lastAt()));
}

/** Calls `onIdle` after `idleMs` without output. */
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

/** Sends SIGINT, SIGTERM and SIGKILL to the whole group, each after its grace period. In a sandbox, only SIGKILL goes to the wrapper. */
function endGroup(group: number, within: Inside | undefined, grace: Grace): () => void {
  const send = (signal: NodeJS.Signals) => {
    if (within && signal !== "SIGKILL") return within.signal(signal);
    try {
      process.kill(-group, signal);
    } catch {
      // The process has already exited.
    }
  };
  send("SIGINT");
  const timers = [
    setTimeout(send, grace.interruptMs, "SIGTERM"),
    setTimeout(send, grace.interruptMs + grace.terminateMs, "SIGKILL"),
  ];
  return () => timers.forEach(clearTimeout);
}

// The exit codes of a shell that cannot run a program.
const SHELL_CODES: Readonly<Record<string, number>> = { ENOENT: 127, ENOTDIR: 127, EACCES: 126 };

/** The same request in a shell, which runs a script without an interpreter line itself; undefined for other errors. */
function withShell({ code }: NodeJS.ErrnoException, request: ProcessRequest): ProcessRequest | undefined {
  const { command } = request;
  if (code !== "ENOEXEC" || typeof command !== "string") return undefined;
  return { ...request, command: ["/bin/sh", "-c", command] };
}

/** Reports a program that the system refuses to run, the way a shell would. */
function reportRefusal(
  error: NodeJS.ErrnoException,
  { command, stderr }: ProcessRequest,
  notStarted: (error: string) => ProcessEnd,
): ProcessEnd {
  const exitCode = SHELL_CODES[error.code ?? ""];
  if (exitCode === undefined) return notStarted(error.message);
  const [file] = programOf(command);
  const log = openLog(stderr);
  fs.writeSync(log, `sh: ${file}: ${exitCode === 127 ? "not found" : "Permission denied"}\n`);
  fs.closeSync(log);
  return { ...notStarted(error.message), cause: "exited", exitCode };
}

/**
 * Runs a process to its end. Resolves when it and all its descendants are gone; never rejects because of what it did.
 * Waits for `exit`, never for `close`: a grandchild that holds the output open cannot block us.
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

  let started: Started;
  try {
    started = start(request);
  } catch (error) {
    return notStarted((error as Error).message);
  }
  const { child, outputs } = started;
  const drain = () => Promise.all(outputs.map((output) => output.finish()));
  const group = child.pid;
  if (group === undefined) {
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
    await drain();
    const retry = withShell(error, request);
    return retry ? runProcess(retry, signal) : reportRefusal(error, request, notStarted);
  }
  guard.opened(group);

  let cause: Cause = "exited";
  let silentMs: number | undefined;
  let endTimers = () => {};
  const end = (why: Cause) => {
    if (cause !== "exited") return;
    cause = why;
    silentMs = silenceOf(outputs);
    endTimers = endGroup(group, started.inside, request.grace ?? GRACE);
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
  await started.inside?.gone();
  const young = performance.now() - began < YOUNG_MS;
  const leftBehind = await sweep(request.run, { group, young });
  guard.closed(group);
  await drain();
  const durationMs = performance.now() - began;
  return { cause, exitCode, durationMs, leftBehind, ...(silentMs !== undefined && { silentMs }), ...from };
}

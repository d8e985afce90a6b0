// Runs a program with text as input and returns its output, with a timeout and an output limit. Uses Node's own modules
// only, so that it also works inside other programs.
import { spawn } from "node:child_process";

export interface ProgramCall {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly input: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Without a timeout, the call waits until the program exits. */
  readonly timeoutMs?: number;
}

export interface ProgramAnswer {
  readonly stdout: string;
  /** The last characters of standard error. */
  readonly stderr: string;
  readonly exitCode: number | null;
  /** Why there is no readable answer. */
  readonly failed?: string;
}

const MAX_OUTPUT_CHARS = 64 * 1_048_576;
const STDERR_CHARS = 4_000;
/** Grace period for the output after exit: another process may hold it open for ever. */
const DRAIN_MS = 1_000;

/** Never rejects. */
export function callProgram({ command, input, cwd, env, timeoutMs }: ProgramCall): Promise<ProgramAnswer> {
  const [file = "", ...args] = command;
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    let exitCode: number | null = null;
    let failed: string | undefined;
    const timers: NodeJS.Timeout[] = [];
    const child = spawn(file, args, {
      stdio: "pipe",
      ...(cwd !== undefined && { cwd }),
      ...(env && { env }),
    });
    const end = () => {
      timers.forEach(clearTimeout);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ stdout, stderr, exitCode, ...(failed !== undefined && { failed }) });
    };
    const giveUp = (why: string) => {
      failed ??= why;
      child.kill("SIGKILL");
    };
    child.once("error", (error) => {
      failed ??= error.message;
      end();
    });
    child.once("exit", (code, signal) => {
      exitCode = code;
      if (signal !== null) failed ??= `it was killed by ${signal}`;
      timers.push(setTimeout(end, DRAIN_MS));
    });
    child.once("close", end);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.length > MAX_OUTPUT_CHARS) giveUp(`it printed more than ${MAX_OUTPUT_CHARS} characters`);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = `${stderr}${text}`.slice(-STDERR_CHARS);
    });
    // A program that exits without reading its input is not an error.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    if (timeoutMs !== undefined)
      timers.push(setTimeout(giveUp, timeoutMs, `it did not answer within ${timeoutMs / 1_000} s`));
  });
}

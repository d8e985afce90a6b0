// Calls a program as one calls a function: text in, text out, and a clear end. Plain pipes, so that it also works inside
// other programs that only have Node's own modules.
import { spawn } from "node:child_process";

export interface ProgramCall {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly input: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Without it there is no limit: only its end is waited for. */
  readonly timeoutMs?: number;
}

export interface ProgramAnswer {
  readonly stdout: string;
  /** The end of it. */
  readonly stderr: string;
  readonly exitCode: number | null;
  /** Why there is no answer that could be read. */
  readonly failed?: string;
}

const MOST_CHARS = 64 * 1_048_576;
const STDERR_CHARS = 4_000;
/** After its end: somebody else may hold its output open for ever. */
const LAST_WORDS_MS = 1_000;

/** Never rejects. */
export function callProgram({ command, input, env, timeoutMs }: ProgramCall): Promise<ProgramAnswer> {
  const [file = "", ...args] = command;
  return new Promise((resolve) => {
    let stdout = "";
    let stderr = "";
    let exitCode: number | null = null;
    let failed: string | undefined;
    const timers: NodeJS.Timeout[] = [];
    const child = spawn(file, args, { stdio: "pipe", ...(env && { env }) });
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
      if (signal !== null) failed ??= `it was ended by ${signal}`;
      timers.push(setTimeout(end, LAST_WORDS_MS));
    });
    child.once("close", end);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.length > MOST_CHARS) giveUp(`it answered with more than ${MOST_CHARS} characters`);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = `${stderr}${text}`.slice(-STDERR_CHARS);
    });
    // One that does not read is heard all the same.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    if (timeoutMs !== undefined)
      timers.push(setTimeout(giveUp, timeoutMs, `it did not answer within ${timeoutMs / 1_000} s`));
  });
}

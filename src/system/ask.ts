// A quick question to a program that is installed: what it answers, bounded in time and size.
import { execFile } from "node:child_process";

const MOST_BYTES = 65_536;

/** Standard output of the program; undefined when it fails, says too much or takes too long. */
export function ask(
  file: string,
  args: readonly string[],
  { cwd, timeoutMs }: { readonly cwd: string; readonly timeoutMs: number },
): Promise<string | undefined> {
  const options = { cwd, timeout: timeoutMs, maxBuffer: MOST_BYTES, killSignal: "SIGKILL" as const };
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (error, stdout) => resolve(error ? undefined : stdout));
    child.stdin?.end();
  });
}

// Runs a short probe command with a timeout and an output limit.
import { execFile } from "node:child_process";

const MAX_OUTPUT_BYTES = 65_536;

/** Returns the program's standard output; undefined when it fails, prints too much or times out. */
export function ask(
  file: string,
  args: readonly string[],
  { cwd, timeoutMs }: { readonly cwd: string; readonly timeoutMs: number },
): Promise<string | undefined> {
  const options = { cwd, timeout: timeoutMs, maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" as const };
  return new Promise((resolve) => {
    const child = execFile(file, args, options, (error, stdout) => resolve(error ? undefined : stdout));
    child.stdin?.end();
  });
}

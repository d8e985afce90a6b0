// Uses a command as a summarizer: the prompt on standard input, the summary on standard output.
import path from "node:path";
import { readTail, writePrivate } from "#system/files";
import { type ProcessEnd, runProcess } from "#system/processes/process";
import { oneLine, plain } from "#text/plain-text";
import { noSummary, type Summarizer } from "./summarizer.ts";

const ANSWER_BYTES = 65_536;
const GRACE = { interruptMs: 2_000, terminateMs: 500 };

function problemOf({ cause, exitCode, error }: ProcessEnd, stderr: string): string | undefined {
  if (cause === "not-started") return `could not be started: ${error}`;
  if (cause !== "exited") return "was stopped before it finished";
  if (exitCode === 0) return undefined;
  const last = plain(stderr).trim().split("\n").at(-1) ?? "";
  return `exited with ${exitCode ?? "a signal"}${last && `: ${last}`}`;
}

export function command(program: string | readonly string[]): Summarizer {
  const shown = oneLine(typeof program === "string" ? program : program.join(" "), 100);
  return async ({ prompt, run, iteration, dir, files, timeoutMs }, signal) => {
    const [stdin, stdout, stderr] = ["prompt.md", "stdout.log", "stderr.log"].map((name) =>
      path.join(files, name),
    ) as [string, string, string];
    writePrivate(stdin, prompt);
    const env = { CONVERGE_ITERATION: String(iteration) };
    const end = await runProcess(
      { command: program, cwd: dir, run, env, stdin, stdout, stderr, timeoutMs, grace: GRACE },
      signal,
    );
    const problem = problemOf(end, readTail(stderr, ANSWER_BYTES, end.stderrFrom));
    if (problem !== undefined) return noSummary(`"${shown}" ${problem}`);
    return { text: readTail(stdout, ANSWER_BYTES, end.stdoutFrom) };
  };
}

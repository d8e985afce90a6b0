// Runs a gate's command and returns its exit, its output and its test report.
import path from "node:path";
import { recogniseStreams } from "#parsers/recognise";
import { type PackageOutput, packageOutputs } from "#parsers/shared/package-outputs";
import type { TestReport } from "#parsers/shared/report";
import type { JudgeRequest } from "#spec/gate";
import { englishMessages } from "#system/environment";
import { readTail } from "#system/files";
import { withPipefail } from "#system/pipefail";
import { type Grace, type ProcessEnd, runProcess } from "#system/processes/process";
import { plain } from "#text/plain-text";
import { withAutomakeDetails } from "./automake-details.ts";
import { relativePaths } from "./relative-paths.ts";
import { fileVersions, reportSince } from "./report-files.ts";

export interface CommandOptions {
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Folder inside the workspace. */
  readonly cwd?: string;
  /** Test-report file that the command writes, relative to `cwd`; or a glob, whose reports are added up. */
  readonly report?: string;
  readonly grace?: Grace;
}

export interface CommandRun {
  readonly command: string | readonly string[];
  /** The judged files. */
  readonly dir: string;
  readonly end: ProcessEnd;
  /** Plain text, size-limited, with paths relative to the workspace. */
  readonly stdout: string;
  readonly stderr: string;
  readonly report?: TestReport;
  /** The output by package, for a monorepo. */
  readonly packages?: readonly PackageOutput[];
  /** The working folder. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

const TEN_MINUTES = 600_000;
const OUTPUT_BYTES = 2 * 1024 * 1024;

export async function runCommand(
  options: CommandOptions,
  request: JudgeRequest,
  signal: AbortSignal,
): Promise<CommandRun> {
  const { dir, files } = request;
  const { command, timeoutMs = TEN_MINUTES, report, grace } = options;
  const cwd = path.resolve(dir, options.cwd ?? ".");
  const logs = { stdout: path.join(files, "stdout.log"), stderr: path.join(files, "stderr.log") };
  const place = report === undefined ? undefined : { dir, cwd, report };
  const before = place && fileVersions(place);
  const end = await runProcess(
    {
      command: withPipefail(command, (request.env ?? process.env).PATH ?? ""),
      cwd,
      run: request.run.id,
      ...(request.env && { base: request.env }),
      env: {
        ...englishMessages(request.env ?? process.env),
        ...options.env,
        CONVERGE_ITERATION: String(request.iteration),
      },
      ...logs,
      timeoutMs,
      ...(grace && { grace }),
    },
    signal,
  );
  // Makes paths relative first, so that test ids do not depend on the workspace's location.
  const stdout = relativePaths(plain(readTail(logs.stdout, OUTPUT_BYTES, end.stdoutFrom)), dir);
  const stderr = relativePaths(plain(readTail(logs.stderr, OUTPUT_BYTES, end.stderrFrom)), dir);
  const packages = packageOutputs(stdout, stderr, typeof command === "string" ? command : command.join(" "));
  const parsed = place && before ? reportSince(before, place) : recogniseStreams(stdout, stderr, packages);
  const detailed = parsed && withAutomakeDetails(parsed, { dir, cwd, stdout });
  return {
    command,
    dir,
    end,
    stdout,
    stderr,
    ...(detailed && { report: detailed }),
    ...(packages && { packages }),
    cwd,
    timeoutMs,
  };
}

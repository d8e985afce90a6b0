// Level 2: runs a program with given input and compares its output with the expected one.
import path from "node:path";
import { readTail, sizeOf, writePrivate } from "#system/files";
import { kindInside, readInside, realInside } from "#system/files-inside";
import { type Grace, type ProcessEnd, runProcess } from "#system/processes/process";
import { describeMissing } from "../describe-missing.ts";
import { findMissing } from "../find-missing.ts";
import { fileVersion } from "../report-files.ts";
import { assertionsOf, type CommandAnswer, type Expectations, type Stream } from "./assertions.ts";
import { attempt, type CheckContext, errored, type Level, type Result, resultOf } from "./level.ts";

export interface BlackBoxCase {
  readonly name: string;
  /** A shell command, or program and arguments. */
  readonly command: string | readonly string[];
  /** A text, or the path of a file in the workspace. */
  readonly stdin?: string | { readonly file: string } | undefined;
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Folder inside the workspace. */
  readonly cwd?: string | undefined;
  readonly expect: Expectations;
  readonly grace?: Grace | undefined;
}

const READ_BYTES = 8 * 1024 * 1024;

export function blackBox(cases: readonly BlackBoxCase[]): Level {
  return {
    number: 2,
    name: "black-box",
    ids: cases.flatMap((each) => [
      exitId(each),
      ...assertionsOf(each.expect).map(({ name }) => idOf(each, name)),
    ]),
    async *run(context) {
      for (const each of cases) {
        if (context.signal.aborted) return;
        yield* runCase(each, context);
      }
    },
  };
}

const idOf = ({ name }: BlackBoxCase, what: string) => `L2 ${name}: ${what}`;
const exitId = (each: BlackBoxCase) => idOf(each, "exit code");

async function* runCase(each: BlackBoxCase, context: CheckContext): AsyncIterable<Result> {
  const { dir } = context.request;
  const before = new Map<string, string | undefined>();
  for (const { path: file } of each.expect.files) before.set(file, await versionOf(dir, file));
  const stdin = await stdinOf(each, context).catch((error: Error) => error);
  if (stdin instanceof Error) return yield errored(exitId(each), `cannot read its input: ${stdin.message}`);
  const end = await start(each, context, stdin);
  const answer = answerOf(context, end, before);
  const crash = describeCrash(end, each);
  // Skips the other checks of a case whose program crashed or did not run: its output means nothing.
  if (crash !== undefined) {
    const broken = errored(exitId(each), withOutput(crash, context, end));
    return yield isMissing(each, context, end) ? { ...broken, unable: true } : broken;
  }
  yield exitResult(each, context, end);
  for (const { name, mismatch } of assertionsOf(each.expect)) {
    const id = idOf(each, name);
    yield await attempt(id, async () => {
      const finding = await mismatch(answer);
      return resultOf(id, finding ? [finding] : []);
    });
  }
}

/** How the program failed instead of answering. */
function describeCrash(end: ProcessEnd, { timeoutMs, expect }: BlackBoxCase): string | undefined {
  switch (end.cause) {
    case "not-started":
      return `could not be started: ${end.error}`;
    case "timed-out":
      return `timed out after ${timeoutMs / 1000} s`;
    case "idle":
    case "cancelled":
      return "interrupted before it finished";
    case "exited":
      if (end.exitCode === expect.exitCode) return undefined;
      if (end.exitCode === 127) return "command not found (exit 127)";
      if (end.exitCode === 126) return "cannot be executed (exit 126)";
      if (end.exitCode === null || end.exitCode > 128)
        return `crashed (${end.exitCode === null ? "killed by a signal" : `exit ${end.exitCode}`})`;
      return undefined;
  }
}

/** Whether the program is missing on this machine. A missing program of the workspace is the agent's work. */
function isMissing(
  { command, cwd = "." }: BlackBoxCase,
  { request }: CheckContext,
  end: ProcessEnd,
): boolean {
  const read = (stream: Stream) => readTail(logOf(request.files, stream), SHOWN_BYTES, from[stream]);
  const from = { stdout: end.stdoutFrom, stderr: end.stderrFrom };
  const missing = findMissing({ command, end, stdout: read("stdout"), stderr: read("stderr") });
  if (!missing || end.cause !== "exited") return false;
  const searchPath = (request.env ?? process.env).PATH ?? "";
  const place = { command, dir: request.dir, cwd: path.resolve(request.dir, cwd), searchPath };
  return describeMissing(missing, place).where === "machine";
}

/** The file for standard input. Inline text is written beside the logs, where no agent can change it. */
async function stdinOf({ stdin }: BlackBoxCase, { request }: CheckContext): Promise<string | undefined> {
  if (stdin === undefined) return undefined;
  if (typeof stdin === "string") {
    const file = path.join(request.files, "stdin");
    writePrivate(file, stdin);
    return file;
  }
  const isFile = (await kindInside(request.dir, stdin.file)) === "file";
  const real = isFile ? await realInside(request.dir, stdin.file) : undefined;
  if (real === undefined) throw new Error(`there is no file ${stdin.file} in the workspace`);
  return real;
}

function start(
  each: BlackBoxCase,
  { request, signal }: CheckContext,
  stdin: string | undefined,
): Promise<ProcessEnd> {
  return runProcess(
    {
      command: each.command,
      cwd: path.resolve(request.dir, each.cwd ?? "."),
      run: request.run.id,
      ...(request.env && { base: request.env }),
      env: { ...each.env, CONVERGE_ITERATION: String(request.iteration) },
      ...(stdin !== undefined && { stdin }),
      stdout: logOf(request.files, "stdout"),
      stderr: logOf(request.files, "stderr"),
      timeoutMs: each.timeoutMs,
      ...(each.grace && { grace: each.grace }),
    },
    signal,
  );
}

const logOf = (files: string, stream: Stream) => path.join(files, `${stream}.log`);

function answerOf(
  { request }: CheckContext,
  end: ProcessEnd,
  before: ReadonlyMap<string, string | undefined>,
): CommandAnswer {
  const from = { stdout: end.stdoutFrom, stderr: end.stderrFrom };
  return {
    dir: request.dir,
    text: (stream) => {
      const log = logOf(request.files, stream);
      if (sizeOf(log) - from[stream] > READ_BYTES)
        throw new Error(`${stream} is longer than ${READ_BYTES / 1024 / 1024} MB, the maximum`);
      return readTail(log, READ_BYTES, from[stream]);
    },
    written: async (file) => {
      const now = await versionOf(request.dir, file);
      if (now === undefined || now === before.get(file)) return undefined;
      return readInside(request.dir, file, READ_BYTES);
    },
  };
}

/** Identifies the version of a file, so that one from before the run does not count as written. */
async function versionOf(dir: string, file: string): Promise<string | undefined> {
  const real = await realInside(dir, file);
  return real === undefined ? undefined : fileVersion(dir, real);
}

function exitResult(each: BlackBoxCase, context: CheckContext, end: ProcessEnd): Result {
  const { exitCode } = each.expect;
  if (end.exitCode === exitCode) return resultOf(exitId(each), []);
  const message = withOutput(`exit code ${end.exitCode}`, context, end);
  return resultOf(exitId(each), [{ message, expected: String(exitCode), actual: String(end.exitCode) }]);
}

const SHOWN_BYTES = 400;

function withOutput(message: string, { request: { files } }: CheckContext, end: ProcessEnd): string {
  const shown = [
    readTail(logOf(files, "stdout"), SHOWN_BYTES, end.stdoutFrom),
    readTail(logOf(files, "stderr"), SHOWN_BYTES, end.stderrFrom),
  ];
  return [message, ...shown.map((text) => text.trim()).filter(Boolean)].join("\n");
}

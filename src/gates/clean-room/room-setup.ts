// Sets up a room: from the cache, or with the task's own commands.
import fs from "node:fs";
import path from "node:path";
import type { CleanRoom } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { openLog, readTail } from "#system/files";
import { withPipefail } from "#system/pipefail";
import { type ProcessEnd, runProcess } from "#system/processes/process";
import { plain, tail } from "#text/plain-text";
import { erroredVerdict } from "./room.ts";
import type { Cache } from "./room-cache.ts";

export interface SetupRequest {
  readonly run: string;
  readonly cleanRoom: CleanRoom;
  readonly cache: Cache;
  /** Whether to cache the result. Only for files that no agent changed, because set-up runs their code. */
  readonly canCache: boolean;
  readonly room: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder for the logs. */
  readonly files: string;
}

const OUTPUT_CHARS = 2_000;
/** Kills set-up commands quickly, because nothing in a room is worth saving. */
const GRACE = { interruptMs: 500, terminateMs: 500 };

/** Undefined when the room is ready. */
export async function setUp(request: SetupRequest, signal: AbortSignal): Promise<Verdict | undefined> {
  const { cleanRoom, cache, room } = request;
  if (cleanRoom.setup.length === 0) return undefined;
  const log = path.join(request.files, "stdout.log");
  const folders = cleanRoom.cache.map((folder) => folder.path).join(", ");
  if (await cache.fill(room)) {
    writeNote(log, `set-up skipped: ${folders} from the cache`);
    return undefined;
  }
  const until = performance.now() + cleanRoom.setupMs;
  for (const command of cleanRoom.setup) {
    writeNote(log, `$ ${command}`);
    const timeoutMs = Math.max(1, until - performance.now());
    const failure = await runCommand(request, { command, timeoutMs }, signal);
    if (failure) return failure;
  }
  if (request.canCache && cleanRoom.cache.length > 0) {
    const uncached = await cache.keep(room);
    writeNote(log, uncached.length > 0 ? `not cached: ${plain(uncached.join("; "))}` : `cached: ${folders}`);
  }
  return undefined;
}

async function runCommand(
  { run, room, env, files, cleanRoom }: SetupRequest,
  { command, timeoutMs }: { readonly command: string; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const stdout = path.join(files, "stdout.log");
  const stderr = path.join(files, "stderr.log");
  const end = await runProcess(
    {
      command: withPipefail(command, env.PATH ?? ""),
      cwd: room,
      run,
      base: env,
      stdout,
      stderr,
      timeoutMs,
      grace: GRACE,
    },
    signal,
  );
  if (end.cause === "exited" && end.exitCode === 0) return undefined;
  const evidence = {
    command,
    exitCode: end.exitCode,
    stdout: tail(plain(readTail(stdout, 4 * OUTPUT_CHARS, end.stdoutFrom)), OUTPUT_CHARS),
    stderr: tail(plain(readTail(stderr, 4 * OUTPUT_CHARS, end.stderrFrom)), OUTPUT_CHARS),
  };
  const summary = `the set-up of the clean room failed: ${command}: ${reasonOf(end, cleanRoom.setupMs)}`;
  const output = [evidence.stdout, evidence.stderr].map((text) => text.trim()).filter(Boolean);
  return erroredVerdict(summary, { details: output.join("\n"), evidence, durationMs: end.durationMs });
}

function reasonOf({ cause, exitCode, error }: ProcessEnd, setupMs: number): string {
  switch (cause) {
    case "exited":
      return exitCode === null ? "killed by a signal" : `exit code ${exitCode}`;
    case "timed-out":
      return `timed out: the limit for set-up is ${setupMs / 1000} s`;
    case "not-started":
      return `cannot be started: ${error}`;
    case "idle":
    case "cancelled":
      return "was interrupted";
  }
}

function writeNote(log: string, text: string): void {
  const handle = openLog(log);
  fs.writeSync(handle, `${text}\n`);
  fs.closeSync(handle);
}

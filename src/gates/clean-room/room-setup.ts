// Sets up a room: from the cache, or with the task's own commands.
import fs from "node:fs";
import path from "node:path";
import type { CleanRoom } from "#spec/task";
import type { Verdict } from "#spec/verdict";
import { openLog, readTail } from "#system/files";
import { withPipefail } from "#system/pipefail";
import { type ProcessEnd, runProcess } from "#system/processes/process";
import { plain, tail } from "#text/plain-text";
import { errored } from "./errored-verdict.ts";
import type { Cache } from "./room-cache.ts";

export interface SetupRequest {
  readonly run: string;
  readonly cleanRoom: CleanRoom;
  readonly cache: Cache;
  /** Whether to cache the result. Only for files that no agent changed, because set-up runs their code. */
  readonly keeps: boolean;
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
    note(log, `set-up skipped: ${folders} from the cache`);
    return undefined;
  }
  const until = performance.now() + cleanRoom.setupMs;
  for (const command of cleanRoom.setup) {
    note(log, `$ ${command}`);
    const trouble = await runOne(command, request, until - performance.now(), signal);
    if (trouble) return trouble;
  }
  if (request.keeps && cleanRoom.cache.length > 0) {
    const lost = await cache.keep(room);
    note(
      log,
      lost.length > 0 ? `not kept in the cache: ${plain(lost.join("; "))}` : `kept in the cache: ${folders}`,
    );
  }
  return undefined;
}

async function runOne(
  command: string,
  { run, room, env, files, cleanRoom }: SetupRequest,
  leftMs: number,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const stdout = path.join(files, "stdout.log");
  const stderr = path.join(files, "stderr.log");
  const timeoutMs = Math.max(1, leftMs);
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
  return errored(summary, { details: output.join("\n"), evidence, durationMs: end.durationMs });
}

function reasonOf({ cause, exitCode, error }: ProcessEnd, setupMs: number): string {
  switch (cause) {
    case "exited":
      return exitCode === null ? "killed by a signal" : `exit code ${exitCode}`;
    case "timed-out":
      return `timed out, because set-up may take ${setupMs / 1000} s`;
    case "not-started":
      return `could not be started: ${error}`;
    case "idle":
    case "cancelled":
      return "was cut off before it was done";
  }
}

function note(log: string, text: string): void {
  const handle = openLog(log);
  fs.writeSync(handle, `${text}\n`);
  fs.closeSync(handle);
}

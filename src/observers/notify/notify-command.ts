// Runs a user's command for a notice: fields in its environment, the whole notice as JSON on standard input.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Notice } from "#spec/notify";
import { privateDir, writePrivate } from "#system/files";
import type { Posted } from "#system/http-post";
import { type Grace, type ProcessEnd, runProcess } from "#system/processes/process";

const TIMEOUT_MS = 60_000;
const GRACE: Grace = { interruptMs: 1_000, terminateMs: 1_000 };

export interface UserCommand {
  readonly command: string;
  readonly cwd: string;
  /** The mark in the environment of its processes, by which leftovers are found. */
  readonly mark: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly log: string;
}

/** Runs the command with a timeout. Returns why it failed, or undefined. */
export async function runUserCommand(
  options: UserCommand,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { command, cwd, mark, env, stdin, log } = options;
  const end: ProcessEnd = await runProcess(
    {
      ...{ command, cwd, env, run: mark, stdout: log, stderr: log, timeoutMs: TIMEOUT_MS, grace: GRACE },
      ...(stdin !== undefined && { stdin }),
    },
    signal ?? new AbortController().signal,
  );
  if (end.cause === "exited" && end.exitCode === 0) return undefined;
  return end.error ?? (end.cause === "exited" ? `exit ${end.exitCode}` : end.cause);
}

function variablesOf({ event, run, state, reason, iterations, score, cost, ...rest }: Notice) {
  return {
    CONVERGE_EVENT: event,
    CONVERGE_RUN_ID: run,
    CONVERGE_STATE: state,
    CONVERGE_REASON: reason,
    CONVERGE_ITERATIONS: String(iterations),
    CONVERGE_SCORE: score === undefined ? "" : String(score),
    CONVERGE_COST: cost === undefined ? "" : String(cost),
    CONVERGE_GATE: rest.gate ?? "",
    CONVERGE_TITLE: rest.title,
    CONVERGE_WORKSPACE: rest.workspace,
  };
}

/** Runs the command with its own mark, so that its leftover processes are not taken for the agent's, and vice versa. */
export async function runCommand(
  command: string,
  { id, notice }: { readonly id: string; readonly notice: Notice },
  { files, signal }: { readonly files: string; readonly signal: AbortSignal },
): Promise<Posted> {
  const stdin = path.join(privateDir(files), `${id}.json`);
  const log = path.join(files, `${id}.log`);
  writePrivate(stdin, `${JSON.stringify({ id, ...notice })}\n`);
  const cwd = fs.existsSync(notice.workspace) ? notice.workspace : os.homedir();
  const failure = await runUserCommand(
    { command, cwd, mark: `${notice.run}.${id}`, env: variablesOf(notice), stdin, log },
    signal,
  );
  if (failure === undefined) return { ok: true, status: 0 };
  // A command that we aborted ourselves has not refused the notice.
  return { ok: false, why: `${failure}; its output is in ${log}`, again: signal.aborted ? "later" : "never" };
}

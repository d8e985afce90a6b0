// Tells a command of the user's: what happened is in its environment, and whole, as JSON, on its standard input.
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
  /** The mark that its processes carry, and are found by when it leaves some behind. */
  readonly mark: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly log: string;
}

/** Bounded in time; the answer says why it failed, or nothing when it did not. */
export async function tellCommand(told: UserCommand, signal?: AbortSignal): Promise<string | undefined> {
  const { command, cwd, mark, env, stdin, log } = told;
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

/** A mark of its own: it works beside the agent, and neither may be taken for what the other has left behind. */
export async function runCommand(
  command: string,
  id: string,
  notice: Notice,
  { files, signal }: { readonly files: string; readonly signal: AbortSignal },
): Promise<Posted> {
  const stdin = path.join(privateDir(files), `${id}.json`);
  const log = path.join(files, `${id}.log`);
  writePrivate(stdin, `${JSON.stringify({ id, ...notice })}\n`);
  const cwd = fs.existsSync(notice.workspace) ? notice.workspace : os.homedir();
  const failed = await tellCommand(
    { command, cwd, mark: `${notice.run}.${id}`, env: variablesOf(notice), stdin, log },
    signal,
  );
  if (failed === undefined) return { ok: true, status: 0 };
  // One that we ended ourselves, because our time is over, has not refused.
  return { ok: false, why: `${failed}; its output is in ${log}`, again: signal.aborted ? "later" : "never" };
}

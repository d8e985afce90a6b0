// Lets a run go on in a process of its own.
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadTask } from "#config/read-task";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { type Detached, startDetached } from "#system/detach";
import { privateDir, readTail } from "#system/files";
import { plain } from "#text/plain-text";
import { startRun } from "./start.ts";

const POLL_MS = 50;
const PATIENCE_MS = 30_000;
const SAID_BYTES = 2_000;

/** Until then nobody holds the workspace: a stop would be overtaken by the start that comes after it. */
async function atWork(app: Context, id: string, seq: number, child: Detached): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if ((await app.store.read(id, seq)).length > 0) return true;
    if (child.hasEnded()) return false;
    await sleep(POLL_MS);
  }
  return false;
}

export interface InBackground {
  /** The command line to start. */
  readonly cli: string;
  /** Stays while the run waits for a person. */
  readonly wait: boolean;
  /** As given: checked by whoever gives them. */
  readonly limits?: NewLimits;
}

/** In the words of the task file. */
export interface NewLimits {
  readonly iterations?: number | undefined;
  readonly time?: string | undefined;
  readonly cost?: number | undefined;
}

function limitFlags({ iterations, time, cost }: NewLimits): string[] {
  const flags = { "--max-iterations": iterations, "--max-time": time, "--max-cost": cost };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
}

/** Resumes the run in the background and returns once it is at work; what it prints goes to the returned file. */
export async function resumeDetached(
  app: Context,
  { id, seq }: Pick<Run, "id" | "seq">,
  { cli, wait, limits = {} }: InBackground,
): Promise<string> {
  const log = path.join(privateDir(path.join(app.home.dir, "runs", id)), "output.log");
  const args = [cli, "resume", id, ...(wait ? ["--wait"] : []), ...limitFlags(limits)];
  // A folder that stays: the one we were started in may be gone by now.
  const child = startDetached(process.execPath, args, app.home.dir, log);
  if (await atWork(app, id, seq, child)) return log;
  const said = plain(readTail(log, SAID_BYTES)).trim();
  throw new UsageError(`run ${id} did not begin in the background; it said: ${said || "nothing"}`);
}

/** Starts a run that has a process of its own from the start. */
export async function launchRun(
  app: Context,
  read: Pick<ReadTask, "task" | "sources" | "addresses">,
  options: InBackground & { readonly warn: (text: string) => void },
): Promise<{ readonly id: string; readonly log: string }> {
  const { id, hold } = await startRun(app, read, options.warn);
  await hold.release();
  return { id, log: await resumeDetached(app, { id, seq: 1 }, options) };
}

// Runs a run in a detached background process.
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

/** Waits until the child records an event. Before that it holds no lock, and a stop could be lost to its late start. */
async function atWork(app: Context, id: string, seq: number, child: Detached): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if ((await app.store.read(id, seq)).length > 0) return true;
    if (child.hasEnded()) return false;
    await sleep(POLL_MS);
  }
  return false;
}

export interface InBackground {
  /** Path of the command-line program to start. */
  readonly cli: string;
  /** Keeps the process alive while the run waits for a person. */
  readonly wait: boolean;
  /** Validated by the caller. */
  readonly limits?: NewLimits;
}

/** Values as written in the task file. */
export interface NewLimits {
  readonly iterations?: number | undefined;
  readonly time?: string | undefined;
  readonly cost?: number | undefined;
}

function limitFlags({ iterations, time, cost }: NewLimits): string[] {
  const flags = { "--max-iterations": iterations, "--max-time": time, "--max-cost": cost };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
}

/** Resumes the run in the background and returns the path of its output log once it is running. */
export async function resumeDetached(
  app: Context,
  { id, seq }: Pick<Run, "id" | "seq">,
  { cli, wait, limits = {} }: InBackground,
): Promise<string> {
  const log = path.join(privateDir(path.join(app.home.dir, "runs", id)), "output.log");
  const args = [cli, "resume", id, ...(wait ? ["--wait"] : []), ...limitFlags(limits)];
  // The state folder as working directory: the current one may have been deleted.
  const child = startDetached(process.execPath, args, { cwd: app.home.dir, log });
  if (await atWork(app, id, seq, child)) return log;
  const said = plain(readTail(log, SAID_BYTES)).trim();
  throw new UsageError(`run ${id} did not begin in the background; it said: ${said || "nothing"}`);
}

/** Starts a new run in a background process. */
export async function launchRun(
  app: Context,
  read: Pick<ReadTask, "task" | "sources" | "addresses">,
  options: InBackground & { readonly warn: (text: string) => void },
): Promise<{ readonly id: string; readonly log: string }> {
  const { id, hold } = await startRun(app, read, options.warn);
  await hold.release();
  return { id, log: await resumeDetached(app, { id, seq: 1 }, options) };
}

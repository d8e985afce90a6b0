// A run with its workspace on this machine: where it is, or, when it was driven elsewhere, made here.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Run } from "#spec/run";
import { driverOf } from "../hold.ts";
import type { App } from "../open.ts";
import { isPlaceable, placeWorkspace } from "./place.ts";
import { redoWhatStayed } from "./redo.ts";

/** Made by this state folder, and driven here last. */
function isHere({ home }: App, run: Run): boolean {
  if (!fs.existsSync(home.dir)) return false;
  const below = path.relative(fs.realpathSync(home.dir), run.dir);
  const isOurs = below !== "" && !below.startsWith("..") && !path.isAbsolute(below);
  return isOurs && (run.resumedOn ?? run.host) === os.hostname() && fs.existsSync(run.dir);
}

/** The same run, when its workspace lies in this folder. */
export function lyingIn(run: Run, dir: string): Run {
  if (dir === run.dir) return run;
  return { ...run, dir, task: { ...run.task, workspace: { ...run.task.workspace, dir } } };
}

/**
 * Makes the workspace of the run in `dir`, to go on with it there: everybody reads from now on that it lies there, and what an
 * agent left in the old one that nobody kept is done again. Nobody else may drive the run.
 */
export async function moveTo(app: App, run: Run, dir: string): Promise<void> {
  await placeWorkspace(app, run, dir);
  await redoWhatStayed(app, run);
  await app.store.place?.(run.id, fs.realpathSync(dir));
}

/** To go on with it on this machine. Whoever drives it now is left alone. */
export async function moveHere(app: App, run: Run): Promise<void> {
  if (!isPlaceable(run.task) || isHere(app, run) || (await driverOf(app, run))) return;
  await moveTo(app, run, app.home.worktreeOf(run.id));
}

/** A folder that is nobody else's to have is left as it is: whether it is there is for others to say. */
export async function runHere(app: App, run: Run): Promise<Run> {
  if (!isPlaceable(run.task) || isHere(app, run)) return run;
  const dir = app.home.worktreeOf(run.id);
  await placeWorkspace(app, run, dir);
  return lyingIn(run, fs.realpathSync(dir));
}

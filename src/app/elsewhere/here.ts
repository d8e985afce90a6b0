// A run with its workspace on this machine: where it is, or, when it was driven elsewhere, made here.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Run } from "#spec/run";
import type { App } from "../open.ts";
import { isPlaceable, placeWorkspace } from "./place.ts";

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

/** To go on with it here: everybody reads from now on that its workspace lies here. */
export async function placeHere(app: App, run: Run): Promise<void> {
  const { dir } = await runHere(app, run);
  if (dir !== run.dir) await app.store.place?.(run.id, dir);
}

/** A folder that is nobody else's to have is left as it is: whether it is there is for others to say. */
export async function runHere(app: App, run: Run): Promise<Run> {
  if (!isPlaceable(run.task) || isHere(app, run)) return run;
  const dir = app.home.worktreeOf(run.id);
  await placeWorkspace(app, run, dir);
  return lyingIn(run, fs.realpathSync(dir));
}

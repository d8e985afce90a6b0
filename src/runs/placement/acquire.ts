// Acquires a run with its workspace on this machine; a run last driven on another machine gets a new workspace here.
import fs from "node:fs";
import os from "node:os";
import type { EventBody } from "#spec/event";
import type { Claim } from "#spec/presence";
import type { Run } from "#spec/run";
import { acquireClaimed, acquireWorkspace, claimRun, type Hold, releaseOnError } from "#state/acquire-run";
import { refuseConverged } from "#state/can-resume";
import type { Context } from "#state/context";
import { loadRun } from "#state/load-run";
import { pathInside } from "#system/inside";
import { recordFact } from "../recording/record.ts";
import { isPlaceable, placeWorkspace } from "./place-workspace.ts";

/** Whether the workspace is inside this state folder and was last driven on this machine. */
function isHere({ home }: Context, run: Run): boolean {
  if (!fs.existsSync(home.dir)) return false;
  const isOurs = pathInside(fs.realpathSync(home.dir), run.dir) !== undefined;
  return isOurs && (run.resumedOn ?? run.host) === os.hostname() && fs.existsSync(run.dir);
}

/** The same run with its workspace in this folder. */
export function runIn(run: Run, dir: string): Run {
  if (dir === run.dir) return run;
  return { ...run, dir, task: { ...run.task, workspace: { ...run.task.workspace, dir } } };
}

/**
 * The event that marks an iteration as lost, when its worker died before taking the snapshot; undefined when none is lost.
 * The new workspace comes from the last snapshot.
 */
function lostIteration(run: Run): EventBody | undefined {
  const current = run.iterations.at(-1);
  const tree = run.tree ?? current?.from;
  if (!current?.agent || current.snapshot || current.decision || tree === undefined) return undefined;
  const reason = "the run was cut off before the agent's files were kept";
  return { type: "iteration.interrupted", iteration: current.number, tree, reason };
}

interface Target {
  readonly dir: string;
  /** The folder has the run's newest files; otherwise the workspace is created there. */
  readonly isHere: boolean;
  /** Exclusive claim on the run. */
  readonly claim: Claim | undefined;
  readonly warn: (text: string) => void;
}

/** Creates the workspace in this folder, marks an iteration lost with the old one, and stores the new location. */
async function moveTo(app: Context, run: Run, target: Target): Promise<void> {
  await placeWorkspace(app, run, target.dir);
  const dir = fs.realpathSync(target.dir);
  const lost = lostIteration(run);
  if (lost) await recordFact(app, runIn(run, dir), { body: lost, warn: target.warn });
  await app.store.place?.(run.id, dir);
}

/** Acquires the run in this folder. */
export function acquireIn(app: Context, run: Run, target: Target): Promise<Hold> {
  const { dir, isHere, claim, warn } = target;
  return releaseOnError(claim, async () => {
    if (!isHere) await moveTo(app, run, target);
    return acquireClaimed(app, { id: run.id, dir: fs.realpathSync(dir), claim }, warn);
  });
}

/** Acquires the run on this machine: in its existing workspace, or in a new one once no other machine holds the run. */
export async function acquireHere(app: Context, id: string, warn: (text: string) => void): Promise<Hold> {
  const known = await loadRun(app, id);
  refuseConverged(known);
  if (!isPlaceable(known.task)) return acquireWorkspace(app, known, warn);
  const claim = await claimRun(app, id);
  return releaseOnError(claim, async () => {
    // Read again under the claim: no other process writes now.
    const run = await loadRun(app, id);
    const isOurs = isHere(app, run);
    const dir = isOurs ? run.dir : app.home.worktreeOf(id);
    return acquireIn(app, run, { dir, isHere: isOurs, claim, warn });
  });
}

/** Creates a placeable run's workspace here if needed. A run bound to a user's folder is returned unchecked. */
export async function placeHere(app: Context, run: Run): Promise<Run> {
  if (!isPlaceable(run.task) || isHere(app, run)) return run;
  const dir = app.home.worktreeOf(run.id);
  await placeWorkspace(app, run, dir);
  return runIn(run, fs.realpathSync(dir));
}

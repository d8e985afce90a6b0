// Makes the workspace of a run on this machine: from a repository, or from the folder that was handed over with the run.
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { Context } from "#state/context";
import { privateDir } from "#system/files";
import { takeLock } from "#system/lock";
import { sweep } from "#system/sweep";
import { beginWith, cloneInto } from "#workspaces/clone";
import { inPlace } from "#workspaces/in-place";
import { withMirror } from "#workspaces/mirror";
import { fetchSnapshots } from "./fetch-snapshots.ts";
import { mirrorPlace } from "./repository-base.ts";

/** A run, or what there is of one before it is started. */
export type Placeable = Pick<Run, "id" | "task" | "head" | "tree" | "host" | "resumedOn">;

/** Whether its workspace can be made anywhere. */
export function isPlaceable({ workspace: { git, bundle } }: Task): boolean {
  return git !== undefined || bundle !== undefined;
}

/** The commit that the ref of the task's repository stands for now. */
export function resolveRef(app: Context, { workspace: { git } }: Task): Promise<string> {
  if (!git) throw new UsageError("the task names no repository; write workspace: {git: URL, ref: BRANCH}");
  return withMirror(mirrorPlace(app, git.url), { ref: git.ref }, async (_, commit) => commit);
}

/** The repository that the workspace is in, where there is one. */
async function prepare(app: Context, { task, head, ...run }: Placeable, dir: string): Promise<void> {
  const { git, bundle, repository } = task.workspace;
  if (git) {
    const wanted = head === undefined ? { ref: git.ref } : { commit: head };
    return withMirror(mirrorPlace(app, git.url), wanted, (mirror, commit) =>
      cloneInto(dir, { mirror, url: git.url, ref: git.ref, commit }),
    );
  }
  if (bundle === undefined)
    throw new UsageError(
      `the workspace of run ${run.id} is a folder of ${run.resumedOn ?? run.host}; a run that goes on anywhere has workspace: {git: URL}`,
    );
  await fetchSnapshots(app, { ...run, task, dir }, [bundle]);
  if (repository) return beginWith(dir, app.home.shadowOf(dir), bundle);
  privateDir(dir);
}

/** Its files as the run left them last, and all that it may go back to. What was there before is in the shadow. */
async function fill(app: Context, run: Placeable, dir: string): Promise<void> {
  const tree = run.tree ?? run.task.workspace.bundle;
  if (tree === undefined) return;
  if (run.tree !== undefined) await fetchSnapshots(app, { ...run, dir });
  const workspace = await inPlace({ dir, shadowDir: app.home.shadowOf(dir), exclude: [] });
  try {
    await workspace.restore(tree);
  } finally {
    await workspace.close();
  }
}

/**
 * Makes the workspace of the run in `dir`: a folder that is not there, or is empty, or was made like this before. May be cut
 * off anywhere and done again. Nobody may be at work in it.
 */
export async function placeWorkspace(app: Context, run: Placeable, dir: string): Promise<void> {
  const lock = takeLock(app.home.locks, app.home.lockName(dir), run.id);
  if (!lock.held) throw new UsageError(`the workspace ${dir} is in use by run ${lock.holder?.run ?? run.id}`);
  try {
    if (lock.died) await sweep(lock.died.run);
    await prepare(app, run, dir);
    await fill(app, run, dir);
  } finally {
    lock.release();
  }
}

// Creates the workspace of a run on this machine, from its git repository or from its bundle.
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Task } from "#spec/task";
import type { Context } from "#state/context";
import { privateDir } from "#system/files";
import { takeLock } from "#system/lock";
import { sweep } from "#system/sweep";
import { cloneInto, createFromTree } from "#workspaces/clone";
import { inPlace } from "#workspaces/in-place";
import { withMirror } from "#workspaces/mirror";
import { fetchSnapshots } from "./fetch-snapshots.ts";
import { mirrorPlace } from "./repository-base.ts";

/** A run, or the known part of one that has not started. */
export type Placeable = Pick<Run, "id" | "task" | "head" | "tree" | "host" | "resumedOn">;

/** Whether the workspace can be created on any machine. */
export function isPlaceable({ workspace: { git, bundle } }: Task): boolean {
  return git !== undefined || bundle !== undefined;
}

/** Resolves the ref of the task's repository to its current commit. */
export function resolveRef(app: Context, { workspace: { git } }: Task): Promise<string> {
  if (!git) throw new UsageError("the task names no repository; write workspace: {git: URL, ref: BRANCH}");
  return withMirror(mirrorPlace(app, git.url), { ref: git.ref }, async (_, commit) => commit);
}

/** Creates the folder, with its git repository if there is one. */
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
  if (repository) return createFromTree(dir, app.home.shadowOf(dir), bundle);
  privateDir(dir);
}

/** Restores the run's last tree and fetches all snapshots for a rollback. Overwritten files are saved in the shadow. */
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
 * Creates the workspace of the run in `dir`, which must be missing, empty or created by an earlier call. Idempotent: an
 * interrupted call can be repeated. The folder must not be in use.
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

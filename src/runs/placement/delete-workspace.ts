// Deletes workspaces that a worker created, once their last snapshot is in the shared store. The only copy is kept.
import fs from "node:fs";
import path from "node:path";
import { foldAll } from "#loop/fold";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { removeAll } from "#system/files";

/** Whether the last snapshot is in the store or equals the baseline. */
async function isShared({ store }: Context, { id, tree, baseline, task }: Run): Promise<boolean> {
  if (tree === undefined || tree === baseline.snapshot?.tree) return true;
  // With a push remote, keep the shadow's copy: the record does not say whether the last push succeeded.
  if (!store.packs || task.workspace.snapshots !== undefined) return false;
  return (await store.packs.list(id)).some(({ trees }) => trees.includes(tree));
}

/** The workspace must not be in use. */
export async function deleteWorkspace(app: Context, run: Run, dir: string): Promise<void> {
  if (!(await isShared(app, run))) return;
  // The shadow goes last: the folder can be restored from it.
  removeAll(dir);
  removeAll(app.home.shadowOf(dir));
}

/** Deletes a worker's workspaces that are in the shared store, and its folder once it is empty. */
export async function deleteWorkspaces(app: Context, folder: string): Promise<void> {
  if (!fs.existsSync(folder)) return;
  const real = fs.realpathSync(folder);
  for (const id of fs.readdirSync(real)) {
    const run = foldAll(await app.store.read(id));
    if (run) await deleteWorkspace(app, run, path.join(real, id));
  }
  if (fs.readdirSync(real).length === 0) fs.rmdirSync(real);
}

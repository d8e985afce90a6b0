// Workspaces that a worker made are thrown away once everything in them can be had elsewhere; what nobody else has stays.
import fs from "node:fs";
import path from "node:path";
import { foldAll } from "#loop/fold";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { removeAll } from "#system/files";

/** Its last snapshot is in the store, or it is what the run started from. */
async function isShared({ store }: Context, { id, tree, baseline, task }: Run): Promise<boolean> {
  if (tree === undefined || tree === baseline.snapshot?.tree) return true;
  // What was pushed is in the shadow too, and whether the last push went well is not in the record.
  if (!store.packs || task.workspace.snapshots !== undefined) return false;
  return (await store.packs.list(id)).some(({ trees }) => trees.includes(tree));
}

/** Nobody may be at work in it. */
export async function deleteWorkspace(app: Context, run: Run, dir: string): Promise<void> {
  if (!(await isShared(app, run))) return;
  // The shadow last: with it, the folder could be made again.
  removeAll(dir);
  removeAll(app.home.shadowOf(dir));
}

/** All that a worker made in its folder, which goes with the last of them. */
export async function leaveWorkspaces(app: Context, folder: string): Promise<void> {
  if (!fs.existsSync(folder)) return;
  const real = fs.realpathSync(folder);
  for (const id of fs.readdirSync(real)) {
    const run = foldAll(await app.store.read(id));
    if (run) await deleteWorkspace(app, run, path.join(real, id));
  }
  if (fs.readdirSync(real).length === 0) fs.rmdirSync(real);
}

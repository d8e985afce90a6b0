// A folder of this machine for a run on another one: its files as a snapshot, kept with the run in the shared store.
import fs from "node:fs";
import { UsageError } from "#spec/errors";
import { findRepository } from "#workspaces/deliver/repository";
import { inPlace } from "#workspaces/in-place";
import { asPacks } from "#workspaces/share";
import type { App } from "../open.ts";

export interface Bundled {
  /** For `workspace.bundle` of the task. */
  readonly tree: string;
  /** For `workspace.repository`: the folder is the top of a git repository. */
  readonly repository?: true;
  /** What could not be captured, each with the reason. */
  readonly omitted: readonly string[];
}

/** By the same rules as the snapshots of a run: what git ignores is not in it. */
export async function bundleWorkspace(app: App, id: string, folder: string): Promise<Bundled> {
  const { packs } = app.store;
  if (!packs)
    throw new UsageError(
      "a folder can be handed to another machine only through a shared database; set CONVERGE_DATABASE_URL",
    );
  const dir = fs.realpathSync(folder);
  const shadowDir = app.home.shadowOf(dir);
  const workspace = await inPlace({ dir, shadowDir, exclude: [] });
  try {
    const { tree, omitted } = await workspace.snapshot();
    await asPacks({ gitDir: shadowDir, run: id, packs })(tree);
    const found = await findRepository(dir);
    return { tree, omitted, ...(found?.top === dir && { repository: true as const }) };
  } finally {
    await workspace.close();
  }
}

// Bundles a local folder for a run on another machine: a snapshot of its files in the shared store.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import type { Context } from "#state/context";
import { findRepository } from "#workspaces/deliver/repository";
import { openShadow, prepareShadow } from "#workspaces/shadow/shadow";
import { shareByPack } from "#workspaces/share";
import { userRules } from "#workspaces/user-repository";

export interface Bundled {
  /** For `workspace.bundle` of the task. */
  readonly tree: string;
  /** For `workspace.repository`: the folder is the top of a git repository. */
  readonly repository?: true;
  /** Paths that could not be captured, each with the reason. */
  readonly omitted: readonly string[];
}

/** Uses the same rules as the snapshots of a run: files ignored by git are excluded. */
export async function bundleWorkspace(app: Context, id: string, folder: string): Promise<Bundled> {
  const { packs } = app.store;
  if (!packs)
    throw new UsageError(
      "a folder can be handed to another machine only through a shared database; set CONVERGE_DATABASE_URL",
    );
  const dir = fs.realpathSync(folder);
  const shadowDir = app.home.shadowOf(dir);
  const { excluded, forced } = await userRules(dir);
  prepareShadow(shadowDir);
  // A separate index: a run may be using the shadow's, and several bundles may be created concurrently.
  const index = path.join(shadowDir, `index.${randomUUID()}`);
  const shadow = openShadow(shadowDir, dir, { excluded, forced, index });
  try {
    const { tree, omitted } = await shadow.snapshot();
    await shareByPack({ gitDir: shadowDir, run: id, packs })(tree);
    const found = await findRepository(dir);
    return { tree, omitted, ...(found?.top === dir && { repository: true as const }) };
  } finally {
    await shadow.close();
    fs.rmSync(index, { force: true });
  }
}

// The workspace of a run, opened where its agent works.
import path from "node:path";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import { inPlace } from "#workspaces/in-place";
import { sharing } from "#workspaces/share";
import { shareFor } from "./elsewhere/share.ts";
import { bringTrees } from "./elsewhere/trees.ts";
import { stateDirOf } from "./mirror.ts";
import type { App } from "./open.ts";

/** Where other machines use the store, or snapshots are kept elsewhere, every tree it names can be had there. */
export async function openWorkspace(
  app: App,
  run: Run,
  warn: (text: string) => void = () => {},
): Promise<Workspace> {
  const stateDir = stateDirOf(run.task);
  const exclude = stateDir ? [`/${path.normalize(stateDir)}/`] : [];
  // Somebody else may have driven it meanwhile.
  if (run.seq > 1) await bringTrees(app, run);
  const share = await shareFor(app, run, warn);
  const workspace = await inPlace({ dir: run.dir, shadowDir: app.home.shadowOf(run.dir), exclude });
  return share ? sharing(workspace, share) : workspace;
}

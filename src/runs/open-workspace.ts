// Opens the workspace of a run in the folder where its agent works.
import path from "node:path";
import { stateDirOf } from "#observers/state-copy";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import type { Context } from "#state/context";
import { inPlace } from "#workspaces/in-place";
import { ignoreRule } from "#workspaces/shadow/ignore-rule";
import { withSharing } from "#workspaces/share";
import { fetchSnapshots } from "./placement/fetch-snapshots.ts";
import { shareFor } from "./placement/share-snapshots.ts";

/** Paths that snapshots of the run exclude, as .gitignore rules. */
function excludedFrom({ task, own = [] }: Run): string[] {
  const stateDir = stateDirOf(task);
  return [...(stateDir ? [`/${path.normalize(stateDir)}/`] : []), ...own.map(ignoreRule)];
}

/** Opens the local workspace without sharing snapshots. The caller holds its lock. */
export function openFiles(app: Context, run: Run): Promise<Workspace> {
  return inPlace({
    dir: run.dir,
    shadowDir: app.home.shadowOf(run.dir),
    exclude: excludedFrom(run),
    outputs: run.outputs ?? [],
    outputsAtBaseline: run.baseline.outputs ?? [],
  });
}

/** Opens the workspace and shares each snapshot with a shared store or remote, so that other machines can fetch it. */
export async function openWorkspace(
  app: Context,
  run: Run,
  warn: (text: string) => void = () => {},
): Promise<Workspace> {
  // Another machine may have driven the run meanwhile.
  if (run.seq > 1) await fetchSnapshots(app, run);
  const share = await shareFor(app, run, warn);
  const workspace = await openFiles(app, run);
  return share ? withSharing(workspace, share) : workspace;
}

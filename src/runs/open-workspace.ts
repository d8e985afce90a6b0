// The workspace of a run, opened where its agent works.
import path from "node:path";
import { stateDirOf } from "#observers/state-copy";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import type { Context } from "#state/context";
import { inPlace } from "#workspaces/in-place";
import { ignoreRule } from "#workspaces/shadow/ignore-rule";
import { sharing } from "#workspaces/share";
import { fetchSnapshots } from "./placement/fetch-snapshots.ts";
import { shareFor } from "./placement/share-snapshots.ts";

/** What no snapshot of the run has, as .gitignore rules. */
function excludedFrom({ task, own = [] }: Run): string[] {
  const stateDir = stateDirOf(task);
  return [...(stateDir ? [`/${path.normalize(stateDir)}/`] : []), ...own.map(ignoreRule)];
}

/** The workspace on this machine alone; whoever opens it holds it. */
export function openFiles(app: Context, run: Run): Promise<Workspace> {
  return inPlace({
    dir: run.dir,
    shadowDir: app.home.shadowOf(run.dir),
    exclude: excludedFrom(run),
    outputs: run.outputs ?? [],
    outputsAtBaseline: run.baseline.outputs ?? [],
  });
}

/** Where other machines use the store, or snapshots are kept elsewhere, every tree it names can be had there. */
export async function openWorkspace(
  app: Context,
  run: Run,
  warn: (text: string) => void = () => {},
): Promise<Workspace> {
  // Somebody else may have driven it meanwhile.
  if (run.seq > 1) await fetchSnapshots(app, run);
  const share = await shareFor(app, run, warn);
  const workspace = await openFiles(app, run);
  return share ? sharing(workspace, share) : workspace;
}

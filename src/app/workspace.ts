// The workspace of a run, opened where its agent works.
import path from "node:path";
import type { Run } from "#spec/run";
import type { Workspace } from "#spec/workspace";
import { inPlace } from "#workspaces/in-place";
import { stateDirOf } from "./mirror.ts";
import type { App } from "./open.ts";

export function openWorkspace(app: App, run: Run): Promise<Workspace> {
  const stateDir = stateDirOf(run.task);
  const exclude = stateDir ? [`/${path.normalize(stateDir)}/`] : [];
  return inPlace({ dir: run.dir, shadowDir: app.home.shadowOf(run.dir), exclude });
}

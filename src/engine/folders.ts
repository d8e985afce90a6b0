// Workspace folders of the workers of one state folder: one per worker, never shared.
import fs from "node:fs";
import path from "node:path";
import { leaveWorkspaces } from "#runs/placement/delete-workspace";
import type { Presence } from "#spec/presence";
import type { Context } from "#state/context";
import { privateDir } from "#system/files";

const foldersOf = ({ home }: Context): string => path.join(home.dir, "workers");

export const folderOf = (app: Context, member: number): string =>
  privateDir(path.join(foldersOf(app), String(member)));

/** Deletes the workspaces of workers that are gone. */
export async function deleteStaleFolders(presence: Presence, app: Context): Promise<void> {
  const folder = foldersOf(app);
  if (!fs.existsSync(folder)) return;
  const alive = new Set(
    (await presence.workers()).filter(({ isHere }) => isHere).map(({ member }) => member),
  );
  for (const name of fs.readdirSync(folder))
    if (!alive.has(Number(name))) await leaveWorkspaces(app, path.join(folder, name));
}

// Where the workers of one state folder make workspaces: a folder for each, never shared.
import fs from "node:fs";
import path from "node:path";
import { leaveWorkspaces } from "#runs/placement/delete-workspace";
import type { Presence } from "#spec/presence";
import type { App } from "#state/context";
import { privateDir } from "#system/files";

const foldersOf = ({ home }: App): string => path.join(home.dir, "workers");

export const folderOf = (app: App, member: number): string =>
  privateDir(path.join(foldersOf(app), String(member)));

/** What workers left behind that are gone. */
export async function tidyFolders(presence: Presence, app: App): Promise<void> {
  const folder = foldersOf(app);
  if (!fs.existsSync(folder)) return;
  const here = new Set((await presence.workers()).filter(({ isHere }) => isHere).map(({ member }) => member));
  for (const name of fs.readdirSync(folder))
    if (!here.has(Number(name))) await leaveWorkspaces(app, path.join(folder, name));
}

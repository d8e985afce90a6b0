// The agent works in the user's own folder.
import fs from "node:fs";
import path from "node:path";
import type { Workspace } from "#spec/workspace";
import { openShadow } from "./shadow.ts";

export interface WorkspaceOptions {
  readonly dir: string;
  /** Where the shadow of this folder is kept. */
  readonly shadowDir: string;
  /** Further ignore rules. */
  readonly exclude: readonly string[];
}

/** The user's private ignore rules, as they were when the run was opened. */
function userExcludes(dir: string): string[] {
  const file = path.join(dir, ".git", "info", "exclude");
  const isFile = fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile ? fs.readFileSync(file, "utf8").split("\n") : [];
}

export async function inPlace(options: WorkspaceOptions): Promise<Workspace> {
  const excluded = [...userExcludes(options.dir), ...options.exclude];
  const shadow = openShadow(options.shadowDir, options.dir, excluded);
  return { dir: options.dir, ...shadow, close: async () => {} };
}

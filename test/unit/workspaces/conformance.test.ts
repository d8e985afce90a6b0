import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "#spec/workspace";
import { workspaceConformance } from "#testing/workspace";
import { inPlace } from "#workspaces/in-place";
import { makeWorktree } from "#workspaces/worktree";
import { temporary } from "../../support/folders.ts";
import { repository } from "../../support/repository.ts";

function opened(dir: string, root: string): Promise<Workspace> {
  return inPlace({ dir, shadowDir: path.join(root, "state", "shadow.git"), exclude: [] });
}

const places: Readonly<Record<string, (root: string) => Promise<string> | string>> = {
  "a folder without git": (root) => {
    fs.mkdirSync(path.join(root, "project"));
    return path.join(root, "project");
  },
  "a repository": (root) => {
    repository(path.join(root, "project"), {});
    return path.join(root, "project");
  },
  "a folder of a repository": (root) => {
    repository(path.join(root, "project"), { "packages/other/file": "x", ".gitignore": "nothing-here\n" });
    fs.mkdirSync(path.join(root, "project/packages/mine"), { recursive: true });
    return path.join(root, "project/packages/mine");
  },
  "a folder with an awkward name": (root) => {
    const dir = path.join(root, "-a b'c\"d $HOME * ä");
    fs.mkdirSync(dir);
    return dir;
  },
  "a worktree": (root) => {
    repository(path.join(root, "project"), {});
    return makeWorktree(path.join(root, "project"), path.join(root, "state", "worktrees", "run"));
  },
};

for (const [name, make] of Object.entries(places))
  workspaceConformance(
    name,
    async () => {
      const root = temporary();
      return opened(await make(root), root);
    },
    { describe, it, expect },
  );

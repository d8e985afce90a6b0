// The user's repository for a delivery: its location, the workspace's path in it, its trees and its state.
import fs from "node:fs";
import path from "node:path";
import { type GitAnswer, git, must, openGitShell } from "#system/git";

export interface RepositoryLocation {
  /** The folder that holds `.git`. */
  readonly top: string;
  readonly gitDir: string;
  /** The path of the requested folder relative to the top: "" or "packages/a/". */
  readonly prefix: string;
}

export interface Repository extends RepositoryLocation {
  git(args: readonly string[]): Promise<GitAnswer>;
  /** Runs a fixed script; values are passed only as arguments. */
  script(text: string, args: readonly string[]): Promise<GitAnswer>;
  /** Resolves a name to a commit. */
  commit(name: string): Promise<string | undefined>;
  /** The whole tree of a commit. */
  treeOf(commit: string): Promise<string>;
  /** The files below the prefix in a commit or a whole tree. */
  list(treeish: string): Promise<Listing>;
  isAncestor(older: string, newer: string): Promise<boolean>;
  /** The checked-out branch; undefined when HEAD is detached. */
  branch(): Promise<string | undefined>;
  close(): void;
}

/** Searches for `.git` itself: `core.worktree` in a config that others can write must not redirect us. */
export async function findRepository(dir: string): Promise<RepositoryLocation | undefined> {
  for (let top = path.resolve(dir); ; top = path.dirname(top)) {
    const entry = path.join(top, ".git");
    if (fs.existsSync(entry)) {
      const answer = await git(["rev-parse", "--absolute-git-dir"], { cwd: top, gitDir: entry });
      const below = path.relative(top, path.resolve(dir));
      if (answer.code === 0)
        return { top, gitDir: answer.stdout.trim(), prefix: below === "" ? "" : `${below}/` };
    }
    if (top === path.dirname(top)) return undefined;
  }
}

export function openRepository(location: RepositoryLocation): Repository {
  const { top, gitDir, prefix } = location;
  const shell = openGitShell({ cwd: top, gitDir, workTree: top });
  const ask = async (args: readonly string[]) => {
    const { code, stdout } = await shell.git(args);
    return code === 0 ? stdout.trim() : undefined;
  };
  return {
    ...location,
    git: shell.git,
    script: shell.script,
    commit: (name) => ask(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]),
    treeOf: async (commit) =>
      must(await shell.git(["rev-parse", `${commit}^{tree}`]), "reading a tree").trim(),
    list: async (treeish) => {
      const below = await ask([
        "rev-parse",
        "--verify",
        "--quiet",
        `${treeish}:${prefix.replace(/\/$/, "")}`,
      ]);
      if (below === undefined) return new Map();
      return parseListing(
        must(await shell.git(["ls-tree", "-r", "-z", "--full-tree", below]), "listing a tree"),
      );
    },
    isAncestor: async (older, newer) =>
      (await shell.git(["merge-base", "--is-ancestor", older, newer])).code === 0,
    branch: () => ask(["symbolic-ref", "--quiet", "--short", "HEAD"]),
    close: shell.close,
  };
}

const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: "a merge",
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  BISECT_LOG: "a bisect",
};

/** Names the user's git operation in progress, such as a merge or rebase, which a new commit would disturb. */
export function operationInProgress({ gitDir }: RepositoryLocation): string | undefined {
  const file = Object.keys(OPERATIONS).find((name) => fs.existsSync(path.join(gitDir, name)));
  return file && OPERATIONS[file];
}

/** The files of a tree: path to "mode id". Comparable between repositories. */
export type Listing = ReadonlyMap<string, string>;

/** Parses `ls-tree -r -z`: "mode type id TAB path". */
export function parseListing(raw: string): Listing {
  const entries = raw.split("\0").filter(Boolean);
  return new Map(
    entries.map((entry) => {
      const tab = entry.indexOf("\t");
      const [mode, , id] = entry.slice(0, tab).split(" ");
      return [entry.slice(tab + 1), `${mode} ${id}`];
    }),
  );
}

/** Paths that differ between the two. */
export function differingPaths(one: Listing, other: Listing): string[] {
  const changed = [...one].filter(([path, entry]) => other.get(path) !== entry).map(([path]) => path);
  return [...changed, ...[...other.keys()].filter((path) => !one.has(path))];
}

/** Whether the entry is a commit of another repository. */
export const isSubmodule = (entry: string | undefined): boolean => entry?.startsWith("160000 ") ?? false;

export const modeOf = (entry: string | undefined): string | undefined => entry?.split(" ")[0];

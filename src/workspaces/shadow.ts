// Snapshots in a git directory of our own: the user's index, HEAD, branches, hooks, filters and config are neither
// touched nor trusted, and a folder without git works as well.
import fs from "node:fs";
import path from "node:path";
import type { FileChange, Snapshot } from "#spec/workspace";
import { privateDir, writePrivate } from "#system/files";
import { must, openGitShell } from "#system/git";
import { capturer } from "./capture.ts";

const LISTED_CHANGES = 200;
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

const CONFIG = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = false
	autocrlf = false
	symlinks = true
	quotePath = false
	looseCompression = 1
	fsync = all
	fsyncMethod = batch
	untrackedCache = false
[gc]
	auto = 0
[advice]
	addEmbeddedRepo = false
`;

// Bytes go in as they are and come out as they were, whatever the workspace's own .gitattributes ask for.
const ATTRIBUTES = "* -text -ident !filter -working-tree-encoding !eol\n";

/** What git is told about the files besides their own .gitignore; fixed for an opening. */
export interface Rules {
  /** Further ignore rules. */
  readonly excluded?: readonly string[];
  /** Files to capture although they are ignored. */
  readonly forced?: readonly string[];
  /** Index to use instead of the shadow's own, with which a run may be at work. */
  readonly index?: string;
}

export interface Shadow {
  snapshot(since?: string): Promise<Snapshot>;
  diff(from: string, to: string): Promise<string>;
  restore(tree: string): Promise<Snapshot>;
  close(): Promise<void>;
}

function initialise(gitDir: string): void {
  for (const folder of ["objects", "refs", "info"]) privateDir(path.join(gitDir, folder));
  writePrivate(path.join(gitDir, "config"), CONFIG);
  writePrivate(path.join(gitDir, "info", "attributes"), ATTRIBUTES);
  // HEAD last: with it, git takes the folder for a repository.
  writePrivate(path.join(gitDir, "HEAD"), "ref: refs/heads/none\n");
}

const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

function parseChanges(raw: string): FileChange[] {
  const fields = raw.split("\0");
  const changes: FileChange[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const letter = fields[index]?.at(0) ?? "M";
    changes.push({ kind: KINDS[letter] ?? "changed", path: fields[index + 1] ?? "" });
  }
  return changes;
}

/** Opens (or makes) the shadow of `workTree` in `gitDir`. Without rules, those of the last opening stay. */
export function openShadow(gitDir: string, workTree: string, rules: Rules = {}): Shadow {
  if (!fs.existsSync(path.join(gitDir, "HEAD"))) initialise(gitDir);
  const { excluded, forced = [], index = path.join(gitDir, "index") } = rules;
  const place = { cwd: workTree, gitDir, workTree, index };
  if (excluded) writePrivate(path.join(gitDir, "info", "exclude"), `${excluded.join("\n")}\n`);
  const shell = openGitShell(place);
  const capture = capturer(place, shell, forced);

  const changesBetween = async (from: string, to: string): Promise<FileChange[]> => {
    if (from === to) return [];
    const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to];
    return parseChanges(must(await shell.git(args), "comparing snapshots"));
  };

  const snapshot = async (since = EMPTY_TREE): Promise<Snapshot> => {
    const { tree, omitted } = await capture();
    const changes = await changesBetween(since, tree);
    return { tree, changes: changes.slice(0, LISTED_CHANGES), changeCount: changes.length, omitted };
  };

  return {
    snapshot,
    diff: async (from, to) =>
      must(await shell.git(["diff", "--no-ext-diff", "--no-textconv", "--no-color", from, to]), "diff"),
    restore: async (tree) => {
      const saved = await snapshot();
      must(await shell.git(["read-tree", "--reset", "-u", tree]), "restore");
      return saved;
    },
    close: async () => shell.close(),
  };
}

// Snapshots in a git directory of our own: the user's index, HEAD, branches, hooks, filters and config are neither
// touched nor trusted, and a folder without git works as well.
import fs from "node:fs";
import path from "node:path";
import type { FileChange, Snapshot } from "#spec/workspace";
import { privateDir, writePrivate } from "#system/files";
import { type GitAnswer, type GitPlace, git, gitScript } from "#system/git";

const LISTED_CHANGES = 200;
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

const CONFIG = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = false
	autocrlf = false
	symlinks = true
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

export interface Shadow {
  snapshot(since?: string): Promise<Snapshot>;
  diff(from: string, to: string): Promise<string>;
  restore(tree: string): Promise<Snapshot>;
}

function initialise(gitDir: string): void {
  for (const folder of ["objects", "refs", "info"]) privateDir(path.join(gitDir, folder));
  writePrivate(path.join(gitDir, "config"), CONFIG);
  writePrivate(path.join(gitDir, "info", "attributes"), ATTRIBUTES);
  // HEAD last: with it, git takes the folder for a repository.
  writePrivate(path.join(gitDir, "HEAD"), "ref: refs/heads/none\n");
}

function must(answer: GitAnswer, what: string): string {
  if (answer.code !== 0) throw new Error(`${what} failed (git exit ${answer.code}): ${answer.stderr.trim()}`);
  return answer.stdout;
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

/** Repositories inside the workspace, from git's own words about them. */
function nestedIn(stderr: string): string[] {
  const found = [
    ...stderr.matchAll(/^warning: adding embedded git repository: (.+?)\/?$/gm),
    ...stderr.matchAll(/^error: '(.+?)\/?' does not have a commit checked out$/gm),
  ];
  return [...new Set(found.map((match) => match[1] ?? ""))];
}

function unreadableIn(stderr: string): string[] {
  return [...stderr.matchAll(/^error: open\("(.+)"\): (.+)$/gm)].map((match) => `${match[1]}: ${match[2]}`);
}

/** A path as a line of info/exclude that matches it and nothing else. */
function excludeLine(name: string): string {
  return `/${name.replace(/[\\*?[\] !#]/g, "\\$&")}`;
}

/**
 * Opens (or makes) the shadow of `workTree` in `gitDir`. `excluded` are further ignore rules, fixed for this
 * opening: the agent cannot widen them. Without them, those of the last opening stay.
 */
export function openShadow(gitDir: string, workTree: string, excluded?: readonly string[]): Shadow {
  if (!fs.existsSync(path.join(gitDir, "HEAD"))) initialise(gitDir);
  const place: GitPlace = { cwd: workTree, gitDir, workTree, index: path.join(gitDir, "index") };
  const nested = new Set<string>();
  const excludeFile = path.join(gitDir, "info", "exclude");
  const rules =
    excluded ?? (fs.existsSync(excludeFile) ? fs.readFileSync(excludeFile, "utf8").split("\n") : []);

  const writeExcludes = () =>
    writePrivate(excludeFile, `${[...rules, ...[...nested].map(excludeLine)].join("\n")}\n`);
  if (excluded) writeExcludes();

  /** Takes nested repositories out of the index for good: adding to a recorded one would run its filters. */
  const leaveOut = async (names: readonly string[]) => {
    for (const name of names) nested.add(name);
    writeExcludes();
    must(
      await git(["rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", ...names], place),
      "snapshot",
    );
  };

  const capture = async (): Promise<{ tree: string; omitted: string[] }> => {
    if (!fs.existsSync(workTree)) throw new Error(`the workspace ${workTree} is gone`);
    // A lock left by a git that was killed: only one process at a time comes here, so nobody holds it.
    fs.rmSync(path.join(gitDir, "index.lock"), { force: true });
    const answer = await gitScript("git add -A --ignore-errors >&2; git write-tree", [], place);
    const fresh = nestedIn(answer.stderr);
    if (fresh.length > 0) {
      await leaveOut(fresh);
      return capture();
    }
    const tree = must(answer, "snapshot").trim();
    const repositories = [...nested].map((name) => `${name}: a git repository of its own, not captured`);
    return { tree, omitted: [...repositories, ...unreadableIn(answer.stderr)] };
  };

  const changesBetween = async (from: string, to: string): Promise<FileChange[]> => {
    if (from === to) return [];
    const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to];
    return parseChanges(must(await git(args, place), "comparing snapshots"));
  };

  const snapshot = async (since = EMPTY_TREE): Promise<Snapshot> => {
    const { tree, omitted } = await capture();
    const changes = await changesBetween(since, tree);
    return { tree, changes: changes.slice(0, LISTED_CHANGES), changeCount: changes.length, omitted };
  };

  return {
    snapshot,
    diff: async (from, to) =>
      must(await git(["diff", "--no-ext-diff", "--no-textconv", "--no-color", from, to], place), "diff"),
    restore: async (tree) => {
      const saved = await snapshot();
      must(await git(["read-tree", "--reset", "-u", tree], place), "restore");
      return saved;
    },
  };
}

// Creates a workspace as a repository: a clone that no longer depends on our mirror, with the user's URL as `origin`.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir, removeAll, replaceFolder } from "#system/files";
import { type GitShell, git, must, openGitShell } from "#system/git";
import { adoptObjects, packTrees } from "./pack.ts";
import { errorOf, remoteGit } from "./remote.ts";

/** Whether the path does not exist or is an empty folder, so that nothing is lost by replacing it. */
function isFree(dir: string): boolean {
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false });
  return stat === undefined || (stat.isDirectory() && fs.readdirSync(dir).length === 0);
}

/** Creates the repository atomically; keeps an existing one. */
async function createRepository(dir: string, create: (fresh: string) => Promise<void>): Promise<void> {
  if (fs.existsSync(path.join(dir, ".git"))) return;
  if (!isFree(dir))
    throw new UsageError(`cannot create a workspace in ${dir}: the folder is not empty. Move its files away`);
  await replaceFolder(dir, create);
}

/** Points HEAD at the commit: on the branch that the ref names, detached when the ref is not a branch. */
async function pointHead(shell: GitShell, ref: string, commit: string): Promise<void> {
  const isBranch =
    (await shell.git(["rev-parse", "--verify", "--quiet", `refs/remotes/origin/${ref}`])).code === 0;
  const steps = isBranch
    ? [
        ["update-ref", `refs/heads/${ref}`, commit],
        ["symbolic-ref", "HEAD", `refs/heads/${ref}`],
        ["branch", "--quiet", `--set-upstream-to=origin/${ref}`, ref],
      ]
    : [["update-ref", "--no-deref", "HEAD", commit]];
  for (const step of steps) must(await shell.git(step), "setting up the workspace");
}

interface CloneSource {
  /** Our bare repository that has the commit. */
  readonly mirror: string;
  readonly url: string;
  readonly ref: string;
  readonly commit: string;
}

/** Creates the clone, and checks out the files with the user's own git configuration, filters included. */
export function cloneInto(dir: string, { mirror, url, ref, commit }: CloneSource): Promise<void> {
  return createRepository(dir, async (fresh) => {
    const quiet = ["--quiet", "--local", "--no-checkout", "--template="];
    must(await git(["clone", ...quiet, "--", mirror, fresh], { cwd: mirror }), "creating the workspace");
    const gitDir = path.join(fresh, ".git");
    const shell = openGitShell({ cwd: fresh, gitDir, workTree: fresh });
    try {
      must(await shell.git(["remote", "set-url", "origin", url]), "setting up the workspace");
      await pointHead(shell, ref, commit);
      const files = await remoteGit(["-C", fresh, "reset", "--quiet", "--hard", commit], undefined, fresh);
      if (files.code !== 0) throw new Error(`checking out the workspace failed: ${errorOf(files)}`);
    } finally {
      shell.close();
    }
  });
}

// Reproducible: a run records its start commit by id, so every machine must create the same bytes. $1 is a tree.
const FIRST = `( export GIT_AUTHOR_DATE=2000-01-01T00:00:00Z GIT_COMMITTER_DATE=2000-01-01T00:00:00Z
git -c user.name=Converge -c user.email=converge@localhost commit-tree "$1" -m "the folder as it was handed over" )`;

/** Creates a repository with one commit of a tree from the shadow; does not check out its files. */
export function createFromTree(dir: string, shadow: string, tree: string): Promise<void> {
  return createRepository(dir, async (fresh) => {
    privateDir(fresh);
    const init = ["init", "--quiet", "--template=", "--initial-branch=main", fresh];
    must(await git(init, { cwd: path.dirname(dir) }), "creating the workspace");
    const gitDir = path.join(fresh, ".git");
    const scratch = privateDir(path.join(gitDir, "handed-over"));
    adoptObjects((await packTrees(shadow, { trees: [tree], into: scratch })).replace(/\.pack$/, ""), gitDir);
    removeAll(scratch);
    const shell = openGitShell({ cwd: fresh, gitDir, workTree: fresh });
    try {
      const commit = must(await shell.script(FIRST, [tree]), "creating the workspace").trim();
      must(await shell.git(["update-ref", "HEAD", commit]), "creating the workspace");
      must(await shell.git(["read-tree", commit]), "creating the workspace");
    } finally {
      shell.close();
    }
  });
}

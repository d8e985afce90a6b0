// Workspace in a separate git worktree, created from the user's HEAD; the user's folder stays unchanged.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir } from "#system/files";
import { type GitAnswer, git } from "#system/git";

function lastErrorLine(answer: GitAnswer): string {
  return answer.stderr.trim().split("\n").at(-1) ?? "";
}

/** Creates the worktree, or reuses that of a resumed run. Returns the folder in it that corresponds to `dir`. */
export async function makeWorktree(dir: string, target: string): Promise<string> {
  const top = await git(["rev-parse", "--show-toplevel", "--show-prefix"], { cwd: dir });
  const [repository, prefix = ""] = top.stdout.split("\n");
  if (top.code !== 0 || !repository)
    throw new UsageError(
      `workspace: worktree needs a git repository, and git finds none at ${dir} (${lastErrorLine(top)}); use "in-place", or run git init and commit`,
    );
  const inside = path.join(target, prefix);
  if (fs.existsSync(inside)) return inside;
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD"], { cwd: repository });
  if (head.code !== 0)
    throw new UsageError(
      `workspace: worktree starts from HEAD, and ${repository} has no commit yet; commit first, or use "in-place"`,
    );
  if (prefix && (await git(["cat-file", "-e", `HEAD:${prefix}`], { cwd: repository })).code !== 0)
    throw new UsageError(
      `workspace: worktree starts from HEAD, and HEAD has no folder ${prefix}; commit it first, or use "in-place"`,
    );
  privateDir(path.dirname(target));
  const added = await git(["worktree", "add", "--detach", "--quiet", target, head.stdout.trim()], {
    cwd: repository,
  });
  if (added.code !== 0)
    throw new UsageError(`git cannot create a worktree at ${target}: ${lastErrorLine(added)}`);
  return inside;
}

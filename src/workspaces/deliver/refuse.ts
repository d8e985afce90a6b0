// Validates a delivery before the run starts: one that can never work is rejected then, not after hours of work.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import type { Deliver } from "#spec/task";
import { git } from "#system/git";
import { findRepository } from "./repository.ts";

/** Whether git accepts the name and cannot mistake it for an option. */
async function isBranchName(name: string, cwd: string): Promise<boolean> {
  if (name.startsWith("-") || name === "HEAD") return false;
  return (await git(["check-ref-format", `refs/heads/${name}`], { cwd })).code === 0;
}

/** Whether it is a configured remote or looks like a URL or path. */
async function isRemote(remote: string, cwd: string): Promise<boolean> {
  if (remote.startsWith("-")) return false;
  if (/[/:]/.test(remote)) return true;
  return (await git(["remote", "get-url", "--", remote], { cwd, asUser: true })).code === 0;
}

async function refuseNames({ type, branch, base, remote }: Deliver, top: string): Promise<void> {
  for (const [key, name] of Object.entries({ branch, base }))
    if (name !== undefined && !(await isBranchName(name, top)))
      throw new UsageError(`deliver.${key}: "${name}" is not a valid branch name; choose another`);
  if (type === "pull-request" && !(await isRemote(remote, top)))
    throw new UsageError(
      `deliver.remote: ${top} has no remote "${remote}"; add it with git remote add, or name another`,
    );
}

function refuseFile(file: string | undefined): void {
  if (file === undefined) return;
  const folder = path.dirname(file);
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`deliver.file: there is no folder ${folder}; create it, or name another file`);
  const existing = fs.lstatSync(file, { throwIfNoEntry: false });
  if (existing && !existing.isFile())
    throw new UsageError(`deliver.file: ${file} is not a regular file; name another one`);
}

/** Throws when the delivery can never work; `dir` is the user's own folder. */
export async function refuseDelivery(how: Deliver, dir: string): Promise<void> {
  if (how.type === "patch") return refuseFile(how.file);
  const repository = await findRepository(dir);
  if (!repository)
    throw new UsageError(
      `deliver: ${how.type} needs a git repository, and there is none at ${dir}; use "patch", or run git init and commit`,
    );
  const { code } = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd: repository.top });
  if (code !== 0)
    throw new UsageError(
      `deliver: ${how.type} starts from HEAD, and ${repository.top} has no commit yet; commit first, or use "patch"`,
    );
  await refuseNames(how, repository.top);
}

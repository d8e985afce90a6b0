// Mirrors of repositories that workspaces are made from: one for each address, used by one at a time, made anew when damaged.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError, UsageError } from "#spec/errors";
import { privateDir, removeAll } from "#system/files";
import { git } from "#system/git";
import { type Locked, takeLock } from "#system/lock";
import { oneLine } from "#text/plain-text";
import { complaint, remoteGit } from "./remote.ts";

export interface MirrorPlace {
  readonly url: string;
  readonly gitDir: string;
  readonly lock: { readonly dir: string; readonly name: string };
}

/** A branch, a tag or a commit, as it is now; or a commit, which stays what it is. */
export type Wanted = { readonly ref: string } | { readonly commit: string };

const LOOK_AGAIN_MS = 200;
/** What is of use for a workspace; snapshots of runs may be in the same repository. */
const REFS = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
const ALONE = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const turns = new Map<string, Promise<unknown>>();

/** One at a time, in this process and in all others. */
async function alone<T>({ gitDir, lock: { dir, name } }: MirrorPlace, work: () => Promise<T>): Promise<T> {
  const locked = async () => {
    let lock: Locked = takeLock(dir, name, "");
    for (; !lock.held; lock = takeLock(dir, name, "")) await sleep(LOOK_AGAIN_MS);
    return work().finally(lock.release);
  };
  const mine = (turns.get(gitDir) ?? Promise.resolve()).then(locked, locked);
  turns.set(gitDir, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(gitDir) === mine) turns.delete(gitDir);
  }
}

/** Beside its place first: whoever is cut off here leaves the old one as it was. */
async function make({ url, gitDir }: MirrorPlace): Promise<void> {
  privateDir(path.dirname(gitDir));
  const fresh = `${gitDir}.new`;
  removeAll(fresh);
  const made = await git(["init", "--quiet", "--bare", "--template=", fresh], { cwd: path.dirname(gitDir) });
  const answer = made.code === 0 ? await fetch({ url, gitDir: fresh }, REFS) : made;
  if (answer.code !== 0)
    throw new UnreachableError(
      `cannot fetch ${url} (${complaint(answer)}); see that the address is right and that git can fetch from there without being asked anything (a credential helper, an ssh key)`,
    );
  removeAll(gitDir);
  fs.renameSync(fresh, gitDir);
}

function fetch({ url, gitDir }: Pick<MirrorPlace, "url" | "gitDir">, refs: readonly string[]) {
  return remoteGit(["fetch", ...ALONE, "--prune", "--", url, ...refs], gitDir, gitDir);
}

async function find(gitDir: string, wanted: Wanted): Promise<string | undefined> {
  const names =
    "commit" in wanted
      ? [wanted.commit]
      : [
          `refs/heads/${wanted.ref}`,
          `refs/tags/${wanted.ref}`,
          ...(COMMIT.test(wanted.ref) ? [wanted.ref] : []),
        ];
  for (const name of names) {
    const { code, stdout } = await git(["rev-parse", "--verify", "--quiet", `${name}^{commit}`], {
      cwd: gitDir,
      gitDir,
    });
    if (code === 0) return stdout.trim();
  }
  return undefined;
}

/** A commit that no branch leads to any more is had by its own name, where the server gives it. */
async function lookAgain(place: MirrorPlace, wanted: Wanted): Promise<string | undefined> {
  const fetched = await fetch(place, REFS);
  if (fetched.code !== 0) throw new Error(complaint(fetched));
  const found = await find(place.gitDir, wanted);
  const name = "commit" in wanted ? wanted.commit : wanted.ref;
  if (found !== undefined || !COMMIT.test(name)) return found;
  const alone = await remoteGit(
    ["fetch", ...ALONE, "--", place.url, `${name}:refs/converge/kept/${name}`],
    place.gitDir,
    place.gitDir,
  );
  return alone.code === 0 ? find(place.gitDir, wanted) : undefined;
}

async function commitIn(place: MirrorPlace, wanted: Wanted): Promise<string> {
  const isOdd = "commit" in wanted ? !COMMIT.test(wanted.commit) : wanted.ref.startsWith("-");
  if (isOdd)
    throw new UsageError(
      `"${oneLine("commit" in wanted ? wanted.commit : wanted.ref, 80)}" is no name of a commit`,
    );
  const known = "commit" in wanted ? await find(place.gitDir, wanted) : undefined;
  const found = known ?? (await lookAgain(place, wanted));
  if (found !== undefined) return found;
  throw new UsageError(
    "ref" in wanted
      ? `${place.url} has no branch, tag or commit "${wanted.ref}"; name another in workspace.ref`
      : `${place.url} does not give out the commit ${wanted.commit} any more, which the run started from`,
  );
}

/**
 * Does the work with the mirror, in which the commit is. What fails without being the user's mistake may be the mirror's
 * fault: it is made anew, once, and all of it is done again.
 */
export function withMirror<T>(
  place: MirrorPlace,
  wanted: Wanted,
  work: (gitDir: string, commit: string) => Promise<T>,
): Promise<T> {
  const attempt = async () => work(place.gitDir, await commitIn(place, wanted));
  return alone(place, async () => {
    if (!fs.existsSync(place.gitDir)) await make(place);
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      await make(place);
      return attempt();
    }
  });
}

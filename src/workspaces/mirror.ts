// Local mirrors of repositories to clone workspaces from: one per URL, locked while in use, recreated when damaged.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError, UsageError } from "#spec/errors";
import { replaceFolder } from "#system/files";
import { git } from "#system/git";
import { type Locked, takeLock } from "#system/lock";
import { oneLine } from "#text/plain-text";
import { complaint, remoteGit } from "./remote.ts";

export interface MirrorPlace {
  readonly url: string;
  readonly gitDir: string;
  readonly lock: { readonly dir: string; readonly name: string };
}

/** A branch, tag or commit to resolve now, or a fixed commit. */
export type Wanted = { readonly ref: string } | { readonly commit: string };

const LOOK_AGAIN_MS = 200;
/** Only branches and tags: the same repository may contain snapshots of runs. */
const REFS = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
const ALONE = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const turns = new Map<string, Promise<unknown>>();

/** Holds an exclusive lock during the work: a queue in this process, a lock file against other processes. */
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

async function make({ url, gitDir }: MirrorPlace): Promise<void> {
  await replaceFolder(gitDir, async (fresh) => {
    const made = await git(["init", "--quiet", "--bare", "--template=", fresh], {
      cwd: path.dirname(gitDir),
    });
    const answer = made.code === 0 ? await fetch({ url, gitDir: fresh }, REFS) : made;
    if (answer.code !== 0)
      throw new UnreachableError(
        `cannot fetch ${url} (${complaint(answer)}); see that the address is right and that git can fetch from there without being asked anything (a credential helper, an ssh key)`,
      );
  });
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

/** Fetches and searches again. A commit that no branch contains any more is fetched by id, if the server allows it. */
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
 * Does the work with a mirror that has the commit. An error other than the user's may come from a damaged mirror, so
 * it recreates the mirror and retries once.
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

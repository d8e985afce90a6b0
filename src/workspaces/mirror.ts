// Local mirrors of repositories to clone workspaces from: one per URL, locked while in use, recreated when damaged.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError, UsageError } from "#spec/errors";
import { replaceFolder } from "#system/files";
import { git } from "#system/git";
import { type Locked, takeLock } from "#system/lock";
import { oneLine } from "#text/plain-text";
import { errorOf, remoteGit } from "./remote.ts";

export interface MirrorPlace {
  readonly url: string;
  readonly gitDir: string;
  readonly lock: { readonly dir: string; readonly name: string };
}

/** A branch, tag or commit to resolve now, or a fixed commit. */
export type Revision = { readonly ref: string } | { readonly commit: string };

const LOCK_POLL_MS = 200;
/** Only branches and tags: the same repository may contain snapshots of runs. */
const REFS = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
const FETCH_OPTIONS = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const queues = new Map<string, Promise<unknown>>();

/** Holds an exclusive lock during the work: a queue in this process, a lock file against other processes. */
async function withExclusiveLock<T>(
  { gitDir, lock: { dir, name } }: MirrorPlace,
  work: () => Promise<T>,
): Promise<T> {
  const workLocked = async () => {
    let lock: Locked = takeLock(dir, name, "");
    for (; !lock.held; lock = takeLock(dir, name, "")) await sleep(LOCK_POLL_MS);
    return work().finally(lock.release);
  };
  const mine = (queues.get(gitDir) ?? Promise.resolve()).then(workLocked, workLocked);
  queues.set(gitDir, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(gitDir) === mine) queues.delete(gitDir);
  }
}

/** Creates the mirror atomically, so that an interruption keeps the old one. */
async function createMirror({ url, gitDir }: MirrorPlace): Promise<void> {
  await replaceFolder(gitDir, async (fresh) => {
    const created = await git(["init", "--quiet", "--bare", "--template=", fresh], {
      cwd: path.dirname(gitDir),
    });
    const answer = created.code === 0 ? await fetch({ url, gitDir: fresh }, REFS) : created;
    if (answer.code !== 0)
      throw new UnreachableError(
        `cannot fetch ${url} (${errorOf(answer)}); check the address, and that git can fetch from there without a prompt (a credential helper, an ssh key)`,
      );
  });
}

function fetch({ url, gitDir }: Pick<MirrorPlace, "url" | "gitDir">, refs: readonly string[]) {
  return remoteGit(["fetch", ...FETCH_OPTIONS, "--prune", "--", url, ...refs], gitDir, gitDir);
}

async function findCommit(gitDir: string, revision: Revision): Promise<string | undefined> {
  const names =
    "commit" in revision
      ? [revision.commit]
      : [
          `refs/heads/${revision.ref}`,
          `refs/tags/${revision.ref}`,
          ...(COMMIT.test(revision.ref) ? [revision.ref] : []),
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
async function fetchAndFind(place: MirrorPlace, revision: Revision): Promise<string | undefined> {
  const fetched = await fetch(place, REFS);
  if (fetched.code !== 0) throw new Error(errorOf(fetched));
  const commit = await findCommit(place.gitDir, revision);
  const name = "commit" in revision ? revision.commit : revision.ref;
  if (commit !== undefined || !COMMIT.test(name)) return commit;
  const byId = await remoteGit(
    ["fetch", ...FETCH_OPTIONS, "--", place.url, `${name}:refs/converge/kept/${name}`],
    place.gitDir,
    place.gitDir,
  );
  return byId.code === 0 ? findCommit(place.gitDir, revision) : undefined;
}

async function resolveCommit(place: MirrorPlace, revision: Revision): Promise<string> {
  const isOdd = "commit" in revision ? !COMMIT.test(revision.commit) : revision.ref.startsWith("-");
  if (isOdd)
    throw new UsageError(
      `"${oneLine("commit" in revision ? revision.commit : revision.ref, 80)}" is not a valid name of a branch, tag or commit`,
    );
  const local = "commit" in revision ? await findCommit(place.gitDir, revision) : undefined;
  const commit = local ?? (await fetchAndFind(place, revision));
  if (commit !== undefined) return commit;
  throw new UsageError(
    "ref" in revision
      ? `${place.url} has no branch, tag or commit "${revision.ref}"; name another in workspace.ref`
      : `${place.url} no longer provides the commit ${revision.commit}, which the run started from`,
  );
}

/**
 * Does the work with a mirror that has the commit. An error other than the user's may come from a damaged mirror, so
 * it recreates the mirror and retries once.
 */
export function withMirror<T>(
  place: MirrorPlace,
  revision: Revision,
  work: (gitDir: string, commit: string) => Promise<T>,
): Promise<T> {
  const attempt = async () => work(place.gitDir, await resolveCommit(place, revision));
  return withExclusiveLock(place, async () => {
    if (!fs.existsSync(place.gitDir)) await createMirror(place);
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof UsageError) throw error;
      await createMirror(place);
      return attempt();
    }
  });
}

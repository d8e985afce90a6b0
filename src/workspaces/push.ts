// Pushes snapshots to a repository of the user as refs/converge/RUN/ITERATION: a chain of commits, never forced.
import { UnreachableError } from "#spec/errors";
import { must, openGitShell } from "#system/git";
import { GITMODULES } from "./pack.ts";
import { errorOf, remoteGit } from "./remote.ts";
import { prepareShadow } from "./shadow/shadow.ts";
import type { Share } from "./share.ts";

interface PushTarget {
  /** The shadow's git directory. */
  readonly gitDir: string;
  readonly run: string;
  readonly url: string;
}

const refsOf = (run: string) => `refs/converge/${run}/`;

const FSCK = ["transfer.fsckObjects=true", ...GITMODULES.map((setting) => `fetch.fsck.${setting}`)].flatMap(
  (setting) => ["-c", setting],
);

/** Fetches pushed snapshots into the shadow. Git validates every object and rejects incomplete ones. */
export async function fetchPushed({ gitDir, run, url }: PushTarget): Promise<void> {
  prepareShadow(gitDir);
  const refs = `${refsOf(run)}*`;
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  const args = [...FSCK, "fetch", ...options, "--", url, `${refs}:${refs}`];
  const answer = await remoteGit(args, gitDir, gitDir);
  if (answer.code !== 0)
    throw new UnreachableError(
      `cannot fetch the snapshots of run ${run} from ${url} (${errorOf(answer)}); check that git can fetch from there`,
    );
}

interface Tip {
  readonly commit: string;
  readonly trees: ReadonlySet<string>;
}

const COMMIT =
  'git -c user.name=Converge -c user.email=converge@localhost -c core.fsync=all commit-tree "$1" -m "$2" ${3:+-p "$3"}';

/** The newest commit that the shadow knows to be pushed, and the trees of its history. */
async function readTip({ gitDir, run }: PushTarget): Promise<Tip | undefined> {
  const shell = openGitShell({ cwd: gitDir, gitDir });
  try {
    const format = "--format=%(objectname) %(refname:lstrip=3)";
    const refs = must(await shell.git(["for-each-ref", format, refsOf(run)]), "listing the snapshots");
    const numbered = refs
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" "));
    const [commit] = numbered.sort(([, a], [, b]) => Number(b) - Number(a))[0] ?? [];
    if (commit === undefined) return undefined;
    const trees = must(await shell.git(["log", "--format=%T", commit]), "listing the snapshots");
    return { commit, trees: new Set(trees.split("\n").filter(Boolean)) };
  } finally {
    shell.close();
  }
}

/** Shares a tree by pushing a commit of it. */
export function shareByPush(
  place: PushTarget & { /** The current iteration of the run. */ iteration(): Promise<number> },
  warn: (text: string) => void,
): Share {
  const { gitDir, run, url } = place;
  let tip: Promise<Tip | undefined> | undefined;
  let hasWarned = false;

  const push = async (tree: string, parent: string | undefined) => {
    const iteration = await place.iteration();
    const ref = `${refsOf(run)}${iteration}`;
    const shell = openGitShell({ cwd: gitDir, gitDir });
    try {
      const args = [tree, `converge run ${run}, iteration ${iteration}`, ...(parent ? [parent] : [])];
      const commit = must(await shell.script(COMMIT, args), "committing the snapshot").trim();
      // Without a plus, so never forced: a remote ref that is not our ancestor belongs to somebody else.
      const answer = await remoteGit(
        ["push", "--no-verify", "--quiet", "--", url, `${commit}:${ref}`],
        gitDir,
        gitDir,
      );
      if (answer.code === 0)
        must(await shell.git(["update-ref", ref, commit]), "recording the pushed snapshot");
      return { commit, problem: answer.code === 0 ? undefined : errorOf(answer) };
    } finally {
      shell.close();
    }
  };

  return async (tree) => {
    tip ??= readTip(place);
    const last = await tip;
    if (last?.trees.has(tree)) return;
    const { commit, problem } = await push(tree, last?.commit);
    // Even after a failed push the next commit builds on this one, so the next push includes it.
    tip = Promise.resolve({ commit, trees: new Set([...(last?.trees ?? []), tree]) });
    if (problem !== undefined && !hasWarned)
      warn(
        `cannot push the snapshot to ${url} (${problem}). The run continues; other machines get its files once a push succeeds`,
      );
    hasWarned = problem !== undefined;
  };
}

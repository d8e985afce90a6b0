// The base tree of a run with a repository. Any machine can fetch it, so it is not stored with the run.
import fs from "node:fs";
import path from "node:path";
import { isFetchable } from "#config/workspace";
import { UsageError } from "#spec/errors";
import type { Run } from "#spec/run";
import type { Context } from "#state/context";
import { privateDir, removeAll } from "#system/files";
import { git, must } from "#system/git";
import { oneLine } from "#text/plain-text";
import { type MirrorPlace, withMirror } from "#workspaces/mirror";
import { adoptPack, packTrees } from "#workspaces/pack";
import { prepareShadow } from "#workspaces/shadow/shadow";

/** Validates a URL from a record by the rules for tasks: git must not fetch from any other address. */
export function requireFetchable(url: string): string {
  if (isFetchable(url)) return url;
  throw new UsageError(
    `${oneLine(url, 120)} is not an address that git may fetch from; the run cannot continue from it`,
  );
}

export function mirrorPlace({ home }: Context, given: string): MirrorPlace {
  const url = requireFetchable(given);
  const lock = { dir: home.locks, name: home.lockName(`mirror ${url}`) };
  return { url, gitDir: home.mirrorOf(url), lock };
}

/** Runs `work` in a temporary folder and deletes the folder afterwards. */
export async function withScratch<T>({ home }: Context, work: (dir: string) => Promise<T>): Promise<T> {
  const scratch = fs.mkdtempSync(path.join(privateDir(home.imports), `${process.pid}-`));
  try {
    return await work(scratch);
  } finally {
    removeAll(scratch);
  }
}

/** The tree of the run's base commit, cached in its local shadow; undefined without a repository. */
export async function baseTree(
  app: Context,
  run: Pick<Run, "task" | "head" | "dir">,
): Promise<string | undefined> {
  const { git: repository } = run.task.workspace;
  const { head } = run;
  if (!repository || head === undefined) return undefined;
  const gitDir = app.home.shadowOf(run.dir);
  prepareShadow(gitDir);
  const place = { cwd: gitDir, gitDir };
  const ref = `refs/converge/base/${head}`;
  const known = await git(["rev-parse", "--verify", "--quiet", `${ref}^{tree}`], place);
  if (known.code === 0) return known.stdout.trim();
  return withScratch(app, (scratch) =>
    withMirror(mirrorPlace(app, repository.url), { commit: head }, async (mirror) => {
      const at = { cwd: mirror, gitDir: mirror };
      const tree = must(await git(["rev-parse", `${head}^{tree}`], at), "reading the repository").trim();
      adoptPack((await packTrees(mirror, { trees: [tree], into: scratch })).replace(/\.pack$/, ""), gitDir);
      must(await git(["update-ref", ref, tree], place), "keeping the base of the run");
      return tree;
    }),
  );
}

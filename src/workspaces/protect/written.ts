// Sorts protected files that changed while a gate ran: outputs that it may write, and changes that void its verdict.
import type { GateWrites } from "#spec/workspace";
import { git } from "#system/git";
import { isToolMade } from "../shadow/outputs.ts";
import { trackedFiles } from "../shadow/tracked-files.ts";
import type { Difference } from "./compare.ts";

interface Judged {
  readonly dir: string;
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The tree of the files before any work. */
  readonly base: string;
  readonly isBaseline: boolean;
}

/** The files that a tree of the shadow contains. */
async function filesIn({ gitDir }: Judged, tree: string, names: readonly string[]): Promise<Set<string>> {
  const args = ["ls-tree", "-r", "-z", "--name-only", tree, "--", ...names];
  const { code, stdout } = await git(args, { cwd: gitDir, gitDir });
  // When git fails, every file counts as captured, which is the stricter result.
  return new Set(code === 0 ? stdout.split("\0").filter(Boolean) : names);
}

/**
 * At the baseline only gates have run, so untracked files that they write are outputs. Later, files that git ignored
 * from the start are restored silently, and every other change voids the verdict.
 */
export async function sortWritten(judged: Judged, found: readonly Difference[]): Promise<GateWrites> {
  const names = [...new Set(found.map(({ path }) => path))];
  const tracked = await trackedFiles(judged.dir, names);
  const captured = await filesIn(judged, judged.base, names);
  const isIgnored = ({ path, kind }: Difference) => kind !== "added" && !captured.has(path);
  const isOutput = (one: Difference) =>
    !one.value &&
    !one.part &&
    !tracked.has(one.path) &&
    (judged.isBaseline ? one.kind === "added" || isIgnored(one) || isToolMade(one.path) : isIgnored(one));
  const changes = found.filter((one) => !isOutput(one));
  const outputs = judged.isBaseline ? found.filter(isOutput).map(({ path }) => path) : [];
  return {
    changes: changes.map(({ path, kind }) => ({ path, kind })),
    outputs,
    isToBeMended: found.length > outputs.length,
  };
}

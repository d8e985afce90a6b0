// Snapshots on their way to another machine: some trees of a shadow in one pack, and a pack into another shadow.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir } from "#system/files";
import { must, openGitShell } from "#system/git";
import { prepareShadow } from "./shadow.ts";

const TREE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

// What a workspace's own .gitmodules says is never acted on here.
const FSCK = ["gitmodulesUrl", "gitmodulesName", "gitmodulesPath", "gitmodulesUpdate", "gitmodulesSymlink"]
  .map((message) => `-c fsck.${message}=ignore`)
  .join(" ");

// $1 is where the pack goes; the trees come after it.
const PACK = `to=$1; shift; printf '%s\\n' "$@" | git pack-objects --revs -q "$to"`;
const TYPES = `printf '%s\\n' "$@" | git cat-file --batch-check='%(objecttype)'`;

async function inGit<T>(
  gitDir: string,
  work: (shell: ReturnType<typeof openGitShell>) => Promise<T>,
): Promise<T> {
  const shell = openGitShell({ cwd: gitDir, gitDir });
  try {
    return await work(shell);
  } finally {
    shell.close();
  }
}

function refuseNames(trees: readonly string[]): void {
  const odd = trees.find((tree) => !TREE.test(tree));
  if (odd !== undefined) throw new UsageError(`"${odd.slice(0, 80)}" is not the id of a snapshot`);
}

/** Writes the trees, and all that is in them, into one pack in `dir`; returns its file. */
export function packTrees(gitDir: string, trees: readonly string[], dir: string): Promise<string> {
  refuseNames(trees);
  return inGit(gitDir, async (shell) => {
    const name = must(
      await shell.script(PACK, [path.join(dir, "pack"), ...trees]),
      "packing the snapshots",
    ).trim();
    return path.join(dir, `pack-${name}.pack`);
  });
}

/** Reads every byte of the pack in a git directory of its own, and throws unless all of these trees are in it, whole. */
export async function checkPack(pack: string, trees: readonly string[], scratch: string): Promise<string> {
  refuseNames(trees);
  prepareShadow(scratch);
  const folder = privateDir(path.join(scratch, "objects", "pack"));
  return inGit(scratch, async (shell) => {
    const indexed = must(
      await shell.script('git index-pack --stdin < "$1"', [pack]),
      "reading the snapshots",
    );
    must(await shell.script(`git ${FSCK} fsck --no-dangling --no-progress`), "checking the snapshots");
    const types = must(await shell.script(TYPES, trees), "looking for the snapshots")
      .split("\n")
      .filter(Boolean);
    const missing = trees.find((_, at) => types[at] !== "tree");
    if (missing !== undefined) throw new UsageError(`the snapshot ${missing} is not in it`);
    return path.join(folder, `pack-${indexed.split(/\s+/).filter(Boolean).at(-1)}`);
  });
}

/** Takes a pack that was checked into the shadow; git sees it when its index is there. */
export function adoptPack(checked: string, gitDir: string): void {
  prepareShadow(gitDir);
  const folder = privateDir(path.join(gitDir, "objects", "pack"));
  for (const ending of [".pack", ".idx"])
    fs.renameSync(`${checked}${ending}`, path.join(folder, `${path.basename(checked)}${ending}`));
}

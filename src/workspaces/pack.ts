// Transfers snapshots between machines: writes trees of a shadow to one git pack, verifies a pack, and imports it.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { privateDir, writePrivate } from "#system/files";
import { type GitShell, must, openGitShell } from "#system/git";
import { oneLine } from "#text/plain-text";
import { prepareShadow } from "./shadow/shadow.ts";

const TREE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

// Nothing here acts on a workspace's .gitmodules, so fsck ignores its errors.
export const GITMODULES = ["Url", "Name", "Path", "Update", "Symlink"].map(
  (what) => `gitmodules${what}=ignore`,
);

// Validates every object; whatever an object refers to must be in the pack or in the repository.
const INDEX = `git index-pack --strict=${GITMODULES.join(",")} --stdin < "$1"`;

// $1 is the output path, $2 the number of trees to pack. The trees to exclude follow; those not in this repository are
// ignored.
const PACK = `to=$1; wanted=$2; shift 2
{ while [ "$wanted" -gt 0 ]; do echo "$1"; shift; wanted=$((wanted - 1)); done
[ $# -eq 0 ] || printf '%s\\n' "$@" | git cat-file --batch-check='%(objecttype) ^%(objectname)' | sed -n 's/^tree //p'
} | git pack-objects --revs -q "$to"`;
const TYPES = `printf '%s\\n' "$@" | git cat-file --batch-check='%(objecttype)'`;

async function withGit<T>(gitDir: string, work: (shell: GitShell) => Promise<T>): Promise<T> {
  const shell = openGitShell({ cwd: gitDir, gitDir });
  try {
    return await work(shell);
  } finally {
    shell.close();
  }
}

function refuseOddNames(trees: readonly string[]): void {
  const odd = trees.find((tree) => !TREE.test(tree));
  if (odd !== undefined) throw new UsageError(`"${oneLine(odd, 80)}" is not the id of a snapshot`);
}

interface PackRequest {
  readonly trees: readonly string[];
  /** The folder to write the pack to. */
  readonly into: string;
  /** Trees whose objects the receiver already has. */
  readonly known?: readonly string[];
}

/** Packs the trees and their objects, except those of the known trees, into one file; returns its path. */
export function packTrees(gitDir: string, { trees, into, known = [] }: PackRequest): Promise<string> {
  refuseOddNames([...trees, ...known]);
  return withGit(gitDir, async (shell) => {
    const args = [path.join(into, "pack"), String(trees.length), ...trees, ...known];
    const name = must(await shell.script(PACK, args), "packing the snapshots").trim();
    return path.join(into, `pack-${name}.pack`);
  });
}

/** The trees that are not in the git directory. */
export async function missingTrees(gitDir: string, trees: readonly string[]): Promise<string[]> {
  refuseOddNames(trees);
  if (trees.length === 0 || !fs.existsSync(path.join(gitDir, "HEAD"))) return [...trees];
  return withGit(gitDir, async (shell) => {
    const types = must(await shell.script(TYPES, trees), "listing the snapshots").split("\n");
    return trees.filter((_, at) => types[at] !== "tree");
  });
}

interface PackCheck {
  /** The trees that the pack must contain completely. */
  readonly trees: readonly string[];
  /** A git directory of its own, to verify the pack in. */
  readonly scratch: string;
  /** A git directory whose objects may be missing from the pack. */
  readonly upon?: string;
}

/** Verifies the pack; throws unless it contains all of the trees. Returns the path of the verified pack without its ending. */
export async function verifyPack(pack: string, { trees, scratch, upon }: PackCheck): Promise<string> {
  refuseOddNames(trees);
  prepareShadow(scratch);
  const folder = privateDir(path.join(scratch, "objects", "pack"));
  if (upon !== undefined) {
    const others = path.join(privateDir(path.join(scratch, "objects", "info")), "alternates");
    writePrivate(others, `${path.join(path.resolve(upon), "objects")}\n`);
  }
  const indexed = await withGit(scratch, async (shell) =>
    must(await shell.script(INDEX, [pack]), "verifying the snapshots"),
  );
  const [missing] = await missingTrees(scratch, trees);
  if (missing !== undefined) throw new UsageError(`the snapshot ${missing} is missing`);
  return path.join(folder, `pack-${indexed.split(/\s+/).filter(Boolean).at(-1)}`);
}

/** Moves a verified pack into the shadow. */
export function adoptPack(verified: string, gitDir: string): void {
  prepareShadow(gitDir);
  adoptObjects(verified, gitDir);
}

/** Moves a pack and then its index into a git directory; git sees the pack once its index exists. */
export function adoptObjects(verified: string, gitDir: string): void {
  const folder = privateDir(path.join(gitDir, "objects", "pack"));
  for (const ending of [".pack", ".idx"])
    fs.renameSync(`${verified}${ending}`, path.join(folder, `${path.basename(verified)}${ending}`));
}

// Applies a snapshot to a tree of the user's repository. Updates changed paths only, so that what a snapshot leaves out
// (submodules, nested repositories, unreadable files) stays as it was.
import fs from "node:fs";
import path from "node:path";
import { privateDir, writePrivate } from "#system/files";
import { type GitShell, must, openGitShell } from "#system/git";
import { type Delivery, scratch } from "./delivery.ts";
import { differing, isSubmodule, type Listing } from "./listing.ts";

/** Thrown for files that the repository stores through a filter program of the user (LFS, encryption). */
export class FilteredFiles extends Error {
  readonly paths: readonly string[];
  constructor(paths: readonly string[]) {
    super(`${paths.join(", ")}: stored through a filter`);
    this.paths = paths;
  }
}

// Overrides repository settings that change how git reads files; its line-ending settings still apply.
const EXACT = [
  "core.filemode=true",
  "core.symlinks=true",
  "core.ignorecase=false",
  "core.safecrlf=false",
  "core.splitIndex=false",
  "core.sparseCheckout=false",
  "index.sparse=false",
  "core.fsync=all",
  "core.fsyncMethod=batch",
];
const GIT = `git ${EXACT.map((setting) => `-c ${setting}`).join(" ")}`;

// $1 is a tree, $2 a list of its files, $3 the folder to write them to.
const WRITE = `git read-tree "$1" && git checkout-index -z --stdin --quiet --prefix="$3/" < "$2"`;
// $1 is the tree to start from.
const BEGIN = `${GIT} read-tree "$1"`;
const ATTRIBUTES = `${GIT} check-attr -z --stdin filter < "$1"`;
// $1 lists the paths to remove, $2 the paths to add.
const APPLY = `${GIT} update-index -z --force-remove --stdin < "$1" &&
${GIT} update-index -z --add --replace --stdin < "$2" &&
${GIT} write-tree`;

/** Tracked files that a sparse checkout keeps out of the folder. */
async function sparse({ work }: Delivery): Promise<ReadonlySet<string>> {
  const { stdout } = await work.git(["ls-files", "-t", "-z"]);
  const left = stdout.split("\0").filter((entry) => entry.startsWith("S "));
  return new Set(left.map((entry) => entry.slice(2)));
}

/** Whether the file may exist: an unreadable folder can hide it. */
function isThere(file: string): boolean {
  try {
    fs.lstatSync(file);
    return true;
  } catch (error) {
    return !["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** Of the paths missing from a snapshot, those that the snapshot left out and nobody deleted. */
async function leftOut(
  delivery: Delivery,
  start: Listing,
  missing: readonly string[],
): Promise<ReadonlySet<string>> {
  const { base, now } = delivery.judged;
  const hidden = missing.length > 0 ? await sparse(delivery) : new Set<string>();
  const isLeftOut = (name: string) =>
    isSubmodule(start.get(name)) ||
    (now !== undefined && !now.has(name) && isThere(path.join(delivery.dir, name))) ||
    (!base.has(name) && hidden.has(`${delivery.work.prefix}${name}`));
  return new Set(missing.filter(isLeftOut));
}

/** Writes the files and their .gitattributes to a folder that git uses as the user's work tree. */
async function writeFiles(delivery: Delivery, tree: string, names: readonly string[], dir: string) {
  fs.rmSync(dir, { recursive: true, force: true });
  const target = privateDir(path.join(dir, delivery.user.prefix));
  const list = scratch(delivery, "write.list");
  writePrivate(list, names.map((name) => `${name}\0`).join(""));
  must(await delivery.judged.script(WRITE, [tree, list, target]), "writing the judged files");
}

async function filtered(delivery: Delivery, shell: GitShell, names: readonly string[]): Promise<Set<string>> {
  const { prefix } = delivery.user;
  const list = scratch(delivery, "attributes.list");
  writePrivate(list, names.map((name) => `${prefix}${name}\0`).join(""));
  const fields = must(await shell.script(ATTRIBUTES, [list]), "reading the attributes").split("\0");
  const plain = ["unspecified", "unset", "set"];
  const found = names.filter((_, index) => !plain.includes(fields[index * 3 + 2] ?? "unspecified"));
  return new Set(found);
}

export interface Adopted {
  /** The tree of the whole repository. */
  readonly tree: string;
  /** Paths that were not updated: left out of the snapshot, or stored through a filter. */
  readonly kept: ReadonlySet<string>;
}

/**
 * Applies the files of the snapshot `target` to `start`, a tree of the whole repository. Skips the paths in `except`;
 * throws when one of the `changed` paths has a filter, because those must be updated.
 */
export async function adopt(
  delivery: Delivery,
  start: string,
  target: { readonly tree: string; readonly files: Listing },
  { except = () => false, changed }: { except?: (name: string) => boolean; changed?: ReadonlySet<string> },
): Promise<Adopted> {
  const before = await delivery.user.list(start);
  const names = differing(before, target.files).filter((name) => !except(name));
  if (names.length === 0) return { tree: start, kept: new Set() };
  const going = names.filter((name) => !target.files.has(name));
  const coming = names.filter((name) => target.files.has(name));
  const left = await leftOut(delivery, before, going);
  const dir = scratch(delivery, "files");
  const rules = [...target.files.keys()].filter((name) => path.basename(name) === ".gitattributes");
  const { gitDir, prefix } = delivery.user;
  const index = scratch(delivery, "user.index");
  const shell = openGitShell({ cwd: dir, gitDir, workTree: dir, index });
  try {
    await writeFiles(delivery, target.tree, [...new Set([...coming, ...rules])], dir);
    must(await shell.script(BEGIN, [start]), "reading the repository");
    const aside = await filtered(delivery, shell, coming);
    const unfit = [...aside].filter((name) => changed?.has(name));
    if (unfit.length > 0) throw new FilteredFiles(unfit);
    const lists = [going.filter((name) => !left.has(name)), coming.filter((name) => !aside.has(name))].map(
      (list, at) => {
        const file = scratch(delivery, `apply.${at}.list`);
        writePrivate(file, list.map((name) => `${prefix}${name}\0`).join(""));
        return file;
      },
    );
    const tree = must(await shell.script(APPLY, lists), "building the commit's tree").trim();
    return { tree, kept: new Set([...left, ...aside]) };
  } finally {
    shell.close();
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

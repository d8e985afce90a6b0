// Plans and writes the commits of a delivery: the user's uncommitted changes from before the run, if any, and the work.
import fs from "node:fs";
import path from "node:path";
import { privateDir } from "#system/files";
import { type GitShell, git, must, openGitShell } from "#system/git";
import { plain } from "#text/plain-text";
import { composeMessage, type Delivery, scratchFile, writePaths, writeScratch } from "./delivery.ts";
import { differingPaths, isSubmodule, type Listing, modeOf } from "./repository.ts";

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
async function sparseFiles({ work }: Delivery): Promise<ReadonlySet<string>> {
  const { stdout } = await work.git(["ls-files", "-t", "-z"]);
  const entries = stdout.split("\0").filter((entry) => entry.startsWith("S "));
  return new Set(entries.map((entry) => entry.slice(2)));
}

/** Whether the file may exist: an unreadable folder can hide it. */
function mayExist(file: string): boolean {
  try {
    fs.lstatSync(file);
    return true;
  } catch (error) {
    return !["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}

/** Of the paths missing from a snapshot, those that the snapshot omitted and nobody deleted. */
async function findOmitted(
  delivery: Delivery,
  start: Listing,
  missing: readonly string[],
): Promise<ReadonlySet<string>> {
  const { base, now } = delivery.judged;
  const sparse = missing.length > 0 ? await sparseFiles(delivery) : new Set<string>();
  const isOmitted = (name: string) =>
    isSubmodule(start.get(name)) ||
    (now !== undefined && !now.has(name) && mayExist(path.join(delivery.dir, name))) ||
    (!base.has(name) && sparse.has(`${delivery.work.prefix}${name}`));
  return new Set(missing.filter(isOmitted));
}

/** Writes the files and their .gitattributes to a folder that git uses as the user's work tree. */
async function writeFiles(
  delivery: Delivery,
  { tree, names, dir }: { readonly tree: string; readonly names: readonly string[]; readonly dir: string },
): Promise<void> {
  fs.rmSync(dir, { recursive: true, force: true });
  const target = privateDir(path.join(dir, delivery.user.prefix));
  const list = writePaths(delivery, "write.list", names);
  must(await delivery.judged.script(WRITE, [tree, list, target]), "writing the judged files");
}

/** The files that the repository stores through a filter. */
async function findFiltered(
  delivery: Delivery,
  shell: GitShell,
  names: readonly string[],
): Promise<Set<string>> {
  const { prefix } = delivery.user;
  const list = writePaths(
    delivery,
    "attributes.list",
    names.map((name) => `${prefix}${name}`),
  );
  const fields = must(await shell.script(ATTRIBUTES, [list]), "reading the attributes").split("\0");
  const unfiltered = ["unspecified", "unset", "set"];
  return new Set(names.filter((_, index) => !unfiltered.includes(fields[index * 3 + 2] ?? "unspecified")));
}

interface SnapshotToApply {
  /** The tree of the whole repository to start from. */
  readonly start: string;
  /** The snapshot. */
  readonly tree: string;
  readonly files: Listing;
  /** Paths to leave as they are. */
  isSkipped?(name: string): boolean;
  /** Paths that must be updated. */
  readonly required?: ReadonlySet<string>;
}

interface AppliedSnapshot {
  /** The tree of the whole repository. */
  readonly tree: string;
  /** Paths that were not updated: omitted by the snapshot, or stored through a filter. */
  readonly skipped: ReadonlySet<string>;
}

/**
 * Applies the files of a snapshot to a tree of the whole repository. Updates changed paths only, so that what a snapshot
 * omits (submodules, nested repositories, unreadable files) stays as it was. Throws when a required path has a filter.
 */
async function applySnapshot(
  delivery: Delivery,
  { start, tree: source, files, isSkipped = () => false, required }: SnapshotToApply,
): Promise<AppliedSnapshot> {
  const before = await delivery.user.list(start);
  const names = differingPaths(before, files).filter((name) => !isSkipped(name));
  if (names.length === 0) return { tree: start, skipped: new Set() };
  const removals = names.filter((name) => !files.has(name));
  const updates = names.filter((name) => files.has(name));
  const omitted = await findOmitted(delivery, before, removals);
  const dir = scratchFile(delivery, "files");
  const attributes = [...files.keys()].filter((name) => path.basename(name) === ".gitattributes");
  const { gitDir, prefix } = delivery.user;
  const index = scratchFile(delivery, "user.index");
  const shell = openGitShell({ cwd: dir, gitDir, workTree: dir, index });
  try {
    await writeFiles(delivery, { tree: source, names: [...new Set([...updates, ...attributes])], dir });
    must(await shell.script(BEGIN, [start]), "reading the repository");
    const filtered = await findFiltered(delivery, shell, updates);
    const refused = [...filtered].filter((name) => required?.has(name));
    if (refused.length > 0) throw new FilteredFiles(refused);
    const lists = [
      removals.filter((name) => !omitted.has(name)),
      updates.filter((name) => !filtered.has(name)),
    ].map((list, at) =>
      writePaths(
        delivery,
        `apply.${at}.list`,
        list.map((name) => `${prefix}${name}`),
      ),
    );
    const tree = must(await shell.script(APPLY, lists), "building the commit's tree").trim();
    return { tree, skipped: new Set([...omitted, ...filtered]) };
  } finally {
    shell.close();
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** The trees to commit; the commits themselves are not written yet. */
export interface CommitPlan {
  readonly parent: string;
  /** Trees of the whole repository: of the parent, with the user's uncommitted changes, and with the work. */
  readonly parentTree: string;
  readonly beforeTree: string;
  readonly tree: string;
}

interface Parent {
  readonly commit: string;
  /** Paths committed during the run, relative to the workspace. */
  readonly committed: ReadonlySet<string>;
}

async function pathsBetween({ user }: Delivery, from: string, to: string): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to];
  return must(await user.git(args), "comparing commits")
    .split("\0")
    .filter(Boolean);
}

/**
 * Whether the judged files can be committed on top of the commit without reverting anybody's work: each path that it
 * changed is the same in the judged tree, or was changed again and is still as judged.
 */
async function canBuildOn(delivery: Delivery, commit: string, paths: readonly string[]): Promise<boolean> {
  const { judged, user, inPlace } = delivery;
  const { prefix } = user;
  const committed = await user.list(commit);
  const since = judged.now && new Set(differingPaths(judged.tree, judged.now));
  return paths.every((name) => {
    // No gate judged files outside the workspace; in place, the user's own branch already has them.
    if (!name.startsWith(prefix)) return inPlace;
    const inside = name.slice(prefix.length);
    if (committed.get(inside) === judged.tree.get(inside)) return true;
    return since !== undefined && !since.has(inside);
  });
}

/** Chooses the parent commit: the start commit, or the agent's own commits since then. */
async function findParent(delivery: Delivery): Promise<Parent> {
  const { head, user, work } = delivery;
  const start = head && (await user.commit(head));
  if (!start)
    throw new Error(
      head
        ? `the commit ${head.slice(0, 12)}, which was checked out at the start, is no longer in ${user.top}`
        : `no commit was checked out in ${user.top} when the run started`,
    );
  const now = await work.commit("HEAD");
  if (!now || now === start || !(await user.isAncestor(start, now)))
    return { commit: start, committed: new Set() };
  const paths = await pathsBetween(delivery, start, now);
  if (!(await canBuildOn(delivery, now, paths))) return { commit: start, committed: new Set() };
  const { prefix } = user;
  const inside = paths.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return { commit: now, committed: new Set(inside) };
}

/** Throws unless the tree has all judged files; only paths that a snapshot omits or git converts may differ. */
async function verifyTree(
  { user, judged }: Delivery,
  tree: string,
  skipped: ReadonlySet<string>,
): Promise<void> {
  const built = await user.list(tree);
  const isConverted = (name: string) => modeOf(built.get(name)) === modeOf(judged.tree.get(name));
  const wrong = differingPaths(built, judged.tree).filter((name) => !skipped.has(name) && !isConverted(name));
  if (wrong.length > 0)
    throw new Error(`the tree to deliver differs from the judged tree in: ${wrong.join(", ")}`);
}

export async function planCommits(delivery: Delivery): Promise<CommitPlan> {
  const { user, judged, base, tree } = delivery;
  const { commit: parent, committed } = await findParent(delivery);
  const parentTree = await user.treeOf(parent);
  const before = await applySnapshot(delivery, {
    start: parentTree,
    tree: base,
    files: judged.base,
    isSkipped: (name) => committed.has(name),
  });
  const after = await applySnapshot(delivery, {
    start: before.tree,
    tree,
    files: judged.tree,
    required: new Set(differingPaths(judged.base, judged.tree)),
  });
  await verifyTree(delivery, after.tree, after.skipped);
  return { parent, parentTree, beforeTree: before.tree, tree: after.tree };
}

/** The user's git identity, or Converge's when there is none. */
async function identityArgs(cwd: string): Promise<readonly string[]> {
  const ask = async (key: string) => {
    const { stdout } = await git(["config", "--get", key], { cwd, asUser: true });
    return plain(stdout).trim().split("\n")[0] ?? "";
  };
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL } = process.env;
  const name = GIT_AUTHOR_NAME || (await ask("user.name"));
  const email = GIT_AUTHOR_EMAIL || (await ask("user.email"));
  const [author, address] = name && email ? [name, email] : ["Converge", "converge@localhost"];
  return ["-c", `user.name=${author}`, "-c", `user.email=${address}`];
}

/** Writes the necessary commits and returns the last one, or the parent when there is nothing to commit. */
export async function writeCommits(delivery: Delivery, plan: CommitPlan): Promise<string> {
  const { user, run } = delivery;
  const identity = await identityArgs(user.top);
  const commit = async (tree: string, parent: string, text: string) => {
    const file = writeScratch(delivery, "commit.message", text);
    const args = [...identity, "-c", "core.fsync=all", "commit-tree", tree, "-p", parent, "-F", file];
    return must(await user.git(args), "committing").trim();
  };
  let tip = plan.parent;
  if (plan.beforeTree !== plan.parentTree)
    tip = await commit(plan.beforeTree, tip, `uncommitted changes from before converge run ${run}\n`);
  if (plan.tree === plan.beforeTree) return tip;
  const { title, body } = composeMessage(delivery);
  return commit(plan.tree, tip, `${title}\n\n${body}`);
}

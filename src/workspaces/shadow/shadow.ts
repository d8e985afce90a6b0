// Takes snapshots in a git directory of our own. Neither touches nor trusts the user's index, HEAD, branches, hooks,
// filters and config, and works in a folder without git as well.
import fs from "node:fs";
import path from "node:path";
import type { FileChange, Snapshot } from "#spec/workspace";
import { privateDir, writePrivate } from "#system/files";
import { type GitShell, must, openGitShell } from "#system/git";
import { type Capturer, capturer } from "./capture.ts";
import { ignoreRule } from "./ignore-rule.ts";

const LISTED_CHANGES = 200;
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

const CONFIG = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = false
	autocrlf = false
	symlinks = true
	quotePath = false
	looseCompression = 1
	fsync = all
	fsyncMethod = batch
	untrackedCache = false
[gc]
	auto = 0
[advice]
	addEmbeddedRepo = false
`;

// Stores and restores bytes unconverted, whatever the workspace's own .gitattributes say.
const ATTRIBUTES = "* -text -ident !filter -working-tree-encoding !eol\n";

/** Rules besides the workspace's own .gitignore; fixed while the shadow is open. */
export interface Rules {
  /** Further ignore rules. */
  readonly excluded?: readonly string[];
  /** Files to capture although they are ignored. */
  readonly forced?: readonly string[];
  /** Index to use instead of the shadow's own, which a run may be using. */
  readonly index?: string;
}

export interface Shadow {
  snapshot(since?: string, base?: string): Promise<Snapshot>;
  /** The whole diff, or its first `most` bytes. */
  diff(from: string, to: string, most?: number): Promise<string>;
  /** Number of files that differ. */
  differing(from: string, to: string): Promise<number>;
  restore(tree: string): Promise<Snapshot>;
  copy(tree: string, dir: string): Promise<void>;
  /** Excludes the paths from later snapshots, in addition to the rules; `dir/` is a folder. */
  leaveOut(names: readonly string[]): void;
  /** Paths written since the last snapshot. */
  written(): Promise<Written>;
  /** The tree without the paths; `dir/` is a folder. */
  without(tree: string, names: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export interface Written {
  /** New files; a folder without any captured file is listed as `dir/`. */
  readonly fresh: readonly string[];
  readonly changed: readonly string[];
}

/** Creates the git directory unless it exists. */
export function prepareShadow(gitDir: string): void {
  if (fs.existsSync(path.join(gitDir, "HEAD"))) return;
  for (const folder of ["objects", "refs", "info"]) privateDir(path.join(gitDir, folder));
  writePrivate(path.join(gitDir, "config"), CONFIG);
  writePrivate(path.join(gitDir, "info", "attributes"), ATTRIBUTES);
  // HEAD last: git treats the folder as a repository once it exists.
  writePrivate(path.join(gitDir, "HEAD"), "ref: refs/heads/none\n");
}

const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

interface Changes {
  readonly files: FileChange[];
  /** Added plus removed lines; a binary file counts as one. */
  readonly lines: number;
}

/** Parses `--raw --numstat -z`: ":modes ids LETTER", "path" per file, then "added TAB removed TAB path" per file. */
function parseChanges(raw: string): Changes {
  const fields = raw.split("\0").filter(Boolean);
  const last = fields.findLastIndex((field) => /^:\d{6} \d{6} \w+ \w+ \w\d*$/.test(field));
  const half = last === -1 ? 0 : last + 2;
  const files: FileChange[] = [];
  for (let index = 0; index < half; index += 2) {
    const letter = fields[index]?.split(" ").at(-1)?.at(0) ?? "M";
    files.push({ kind: KINDS[letter] ?? "changed", path: fields[index + 1] ?? "" });
  }
  const size = (field: string) => {
    const [added = "", removed = ""] = field.split("\t");
    return added === "-" ? 1 : Number(added) + Number(removed);
  };
  return { files, lines: fields.slice(half).reduce((sum, field) => sum + size(field), 0) };
}

// $1 is a tree, $2 an empty folder, $3 a temporary index.
const COPY = `( export GIT_INDEX_FILE="$3"
git read-tree "$1" && git checkout-index --all --quiet --prefix="$2/"
status=$?; rm -f "$3"; exit $status )`;

// $1 is a tree, $2 a file of ignore rules, $3 a temporary index.
const WITHOUT = `( export GIT_INDEX_FILE="$3"
git read-tree "$1" && git ls-files -z --cached --ignored --exclude-from="$2" |
  git update-index -z --force-remove --stdin && git write-tree
status=$?; rm -f "$2" "$3"; exit $status )`;

const FRESH = ["ls-files", "-z", "--others", "--directory", "--no-empty-directory", "--exclude-standard"];
/** Also lists changed files; a letter before each path tells them apart. */
const WRITTEN = [...FRESH, "--modified", "-t"];

const DIFF = 'git diff --no-ext-diff --no-textconv --no-color "$1" "$2"';

async function listPaths(shell: GitShell, args: readonly string[]): Promise<string[]> {
  return must(await shell.git(args), "listing what was written")
    .split("\0")
    .filter(Boolean);
}

/** Without a start tree it counts no lines, because that would read every file. */
async function changesBetween(shell: GitShell, from: string | undefined, to: string): Promise<Changes> {
  if (from === to) return { files: [], lines: 0 };
  const sizes = from === undefined ? ["--raw"] : ["--raw", "--numstat"];
  const args = ["diff-tree", "-r", "-z", "--no-renames", ...sizes, from ?? EMPTY_TREE, to];
  return parseChanges(must(await shell.git(args), "comparing snapshots"));
}

/** Takes snapshots, and lists what was written since the last one. */
function snapshotter(shell: GitShell, capture: Capturer["capture"]): Pick<Shadow, "snapshot" | "written"> {
  /** Paths that existed at the last snapshot but were not captured: nested repositories, unreadable files. */
  let uncaptured: readonly string[] = [];
  return {
    snapshot: async (since, base) => {
      const { tree, omitted } = await capture();
      uncaptured = omitted.length > 0 ? await listPaths(shell, FRESH) : [];
      const { files, lines } = await changesBetween(shell, since, tree);
      const fromBase = base === since ? lines : (await changesBetween(shell, base, tree)).lines;
      return {
        tree,
        changes: files.slice(0, LISTED_CHANGES),
        changeCount: files.length,
        ...(since !== undefined && { changedLines: lines }),
        ...(base !== undefined && { linesFromBase: fromBase }),
        omitted,
      };
    },
    written: async () => {
      const known = new Set(uncaptured);
      const entries = await listPaths(shell, WRITTEN);
      const tagged = (tag: string) =>
        entries.filter((entry) => entry.startsWith(tag)).map((entry) => entry.slice(tag.length));
      return { fresh: tagged("? ").filter((name) => !known.has(name)), changed: tagged("C ") };
    },
  };
}

/** Compares, copies and rewrites trees without touching the workspace or the shadow's index. */
function treeReader(
  shell: GitShell,
  gitDir: string,
): Pick<Shadow, "diff" | "differing" | "copy" | "without"> {
  let indexes = 0;
  const temporaryIndex = () => path.join(gitDir, `index.${process.pid}.${indexes++}`);
  return {
    diff: async (from, to, most) => {
      const script = most === undefined ? DIFF : `${DIFF} | head -c ${Math.trunc(most)}`;
      return must(await shell.script(script, [from, to]), "diff");
    },
    differing: async (from, to) => (await changesBetween(shell, from, to)).files.length,
    copy: async (tree, dir) => {
      must(await shell.script(COPY, [tree, dir, temporaryIndex()]), "copying the snapshot");
    },
    without: async (tree, names) => {
      const index = temporaryIndex();
      const rules = `${index}.rules`;
      writePrivate(rules, `${names.map(ignoreRule).join("\n")}\n`);
      return must(await shell.script(WITHOUT, [tree, rules, index]), "removing outputs of gates").trim();
    },
  };
}

/** Opens or creates the shadow of `workTree` in `gitDir`. Without exclude rules, the previous ones stay in force. */
export function openShadow(gitDir: string, workTree: string, rules: Rules = {}): Shadow {
  prepareShadow(gitDir);
  const { excluded, forced = [], index = path.join(gitDir, "index") } = rules;
  const place = { cwd: workTree, gitDir, workTree, index };
  const writeRules = (lines: readonly string[]) =>
    writePrivate(path.join(gitDir, "info", "exclude"), `${lines.join("\n")}\n`);
  if (excluded) writeRules(excluded);
  const shell = openGitShell(place);
  const { capture, rulesChanged } = capturer(place, shell, forced);
  const { snapshot, written } = snapshotter(shell, capture);
  return {
    snapshot,
    written,
    ...treeReader(shell, gitDir),
    restore: async (tree) => {
      const saved = await snapshot();
      must(await shell.git(["read-tree", "--reset", "-u", tree]), "restore");
      // The tree may contain files that the current rules leave out.
      rulesChanged();
      return saved;
    },
    leaveOut: (names) => {
      writeRules([...(excluded ?? []), ...names.map(ignoreRule)]);
      rulesChanged();
    },
    close: async () => shell.close(),
  };
}

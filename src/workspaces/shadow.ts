// Snapshots in a git directory of our own: the user's index, HEAD, branches, hooks, filters and config are neither
// touched nor trusted, and a folder without git works as well.
import fs from "node:fs";
import path from "node:path";
import type { FileChange, Snapshot } from "#spec/workspace";
import { privateDir, writePrivate } from "#system/files";
import { must, openGitShell } from "#system/git";
import { capturer } from "./capture.ts";

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

// Bytes go in as they are and come out as they were, whatever the workspace's own .gitattributes ask for.
const ATTRIBUTES = "* -text -ident !filter -working-tree-encoding !eol\n";

/** What git is told about the files besides their own .gitignore; fixed for an opening. */
export interface Rules {
  /** Further ignore rules. */
  readonly excluded?: readonly string[];
  /** Files to capture although they are ignored. */
  readonly forced?: readonly string[];
  /** Index to use instead of the shadow's own, with which a run may be at work. */
  readonly index?: string;
}

export interface Shadow {
  snapshot(since?: string, base?: string): Promise<Snapshot>;
  diff(from: string, to: string): Promise<string>;
  restore(tree: string): Promise<Snapshot>;
  copy(tree: string, dir: string): Promise<void>;
  close(): Promise<void>;
}

function initialise(gitDir: string): void {
  for (const folder of ["objects", "refs", "info"]) privateDir(path.join(gitDir, folder));
  writePrivate(path.join(gitDir, "config"), CONFIG);
  writePrivate(path.join(gitDir, "info", "attributes"), ATTRIBUTES);
  // HEAD last: with it, git takes the folder for a repository.
  writePrivate(path.join(gitDir, "HEAD"), "ref: refs/heads/none\n");
}

const KINDS: Readonly<Record<string, FileChange["kind"]>> = { A: "added", D: "deleted" };

interface Changes {
  readonly files: FileChange[];
  /** Added and removed; a binary file counts as one. */
  readonly lines: number;
}

/** What `--raw --numstat -z` prints: ":modes ids LETTER", "path" for each file, then "added TAB removed TAB path" for each. */
function parseChanges(raw: string): Changes {
  const fields = raw.split("\0").filter(Boolean);
  const half = fields.findLastIndex((field) => /^:\d{6} \d{6} \w+ \w+ \w\d*$/.test(field)) + 2;
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

// $1 is a tree, $2 an empty folder, $3 an index of its own.
const COPY = `( export GIT_INDEX_FILE="$3"
git read-tree "$1" && git checkout-index --all --quiet --prefix="$2/"
status=$?; rm -f "$3"; exit $status )`;

/** Opens (or makes) the shadow of `workTree` in `gitDir`. Without rules, those of the last opening stay. */
export function openShadow(gitDir: string, workTree: string, rules: Rules = {}): Shadow {
  if (!fs.existsSync(path.join(gitDir, "HEAD"))) initialise(gitDir);
  const { excluded, forced = [], index = path.join(gitDir, "index") } = rules;
  const place = { cwd: workTree, gitDir, workTree, index };
  if (excluded) writePrivate(path.join(gitDir, "info", "exclude"), `${excluded.join("\n")}\n`);
  const shell = openGitShell(place);
  const capture = capturer(place, shell, forced);
  let copies = 0;

  // Counting the lines of everything there is would read every file.
  const changesBetween = async (from: string | undefined, to: string): Promise<Changes> => {
    if (from === to) return { files: [], lines: 0 };
    const sized = from === undefined ? ["--raw"] : ["--raw", "--numstat"];
    const args = ["diff-tree", "-r", "-z", "--no-renames", ...sized, from ?? EMPTY_TREE, to];
    return parseChanges(must(await shell.git(args), "comparing snapshots"));
  };

  const snapshot = async (since?: string, base?: string): Promise<Snapshot> => {
    const { tree, omitted } = await capture();
    const { files, lines } = await changesBetween(since, tree);
    const fromBase = base === since ? lines : (await changesBetween(base, tree)).lines;
    return {
      tree,
      changes: files.slice(0, LISTED_CHANGES),
      changeCount: files.length,
      ...(since !== undefined && { changedLines: lines }),
      ...(base !== undefined && { linesFromBase: fromBase }),
      omitted,
    };
  };

  return {
    snapshot,
    diff: async (from, to) =>
      must(await shell.git(["diff", "--no-ext-diff", "--no-textconv", "--no-color", from, to]), "diff"),
    restore: async (tree) => {
      const saved = await snapshot();
      must(await shell.git(["read-tree", "--reset", "-u", tree]), "restore");
      return saved;
    },
    copy: async (tree, dir) => {
      const own = path.join(gitDir, `index.${process.pid}.${copies++}`);
      must(await shell.script(COPY, [tree, dir, own]), "copying the snapshot");
    },
    close: async () => shell.close(),
  };
}

// Adds the workspace's files to the shadow's index and writes a tree. Omits and lists nested repositories, and
// lists other files that cannot be captured; throws on any other error.
import fs from "node:fs";
import path from "node:path";
import { writePrivate } from "#system/files";
import { type GitAnswer, type GitPlace, type GitShell, must } from "#system/git";

export interface Captured {
  readonly tree: string;
  readonly omitted: readonly string[];
}

type ShadowPlace = Required<Omit<GitPlace, "asUser">>;

/** The files that exist and are not behind a symbolic link, which the agent may have created. */
function existingFiles(workTree: string, files: readonly string[]): string[] {
  return files.filter((name) => {
    const file = path.join(workTree, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    const isFile = stat?.isFile() || stat?.isSymbolicLink();
    return (
      isFile &&
      fs.realpathSync(path.dirname(file)) === path.join(fs.realpathSync(workTree), path.dirname(name))
    );
  });
}

// $1 is a list of files to add although they are ignored; the rest are exclude pathspecs.
const ADD = `list=$1; shift
git add -A --ignore-errors -- . "$@" >&2
[ -z "$list" ] ||
  git --literal-pathspecs add -f --ignore-errors --pathspec-from-file="$list" --pathspec-file-nul >&2
git write-tree`;

// Removes from the index what was captured under earlier rules and the current rules exclude.
const FORGET = `rules=$GIT_DIR/info/exclude
[ ! -f "$rules" ] || git ls-files -z --cached --ignored --exclude-from="$rules" |
  git update-index -z --force-remove --stdin`;

/** Nested repositories in the index: from the last add, or from one that was killed half-way. */
async function listNested(shell: GitShell): Promise<string[]> {
  const entries = must(await shell.git(["ls-files", "-s", "-z"]), "snapshot").split("\0");
  const links = entries.filter((entry) => entry.startsWith("160000 "));
  return links.map((entry) => entry.slice(entry.indexOf("\t") + 1));
}

function addFiles(
  place: ShadowPlace,
  shell: GitShell,
  { forced, nested }: { readonly forced: readonly string[]; readonly nested: Iterable<string> },
): Promise<GitAnswer> {
  const files = existingFiles(place.workTree, forced);
  const list = files.length > 0 ? path.join(place.gitDir, "forced") : "";
  if (list) writePrivate(list, files.join("\0"));
  const excluded = [...nested].map((name) => `:(exclude,literal)${name}`);
  return shell.script(ADD, [list, ...excluded]);
}

const NOT_CAPTURED = [
  /^error: open\("(.+)"\): (.+)$/gm,
  /^warning: could not open directory '(.+?)\/?': (.+)$/gm,
  /^error: (.+): (can only add regular files, symbolic links) or git-directories$/gm,
];

/** Files and folders that git could not add, each with the reason. */
function uncapturedFiles(stderr: string): string[] {
  return NOT_CAPTURED.flatMap((pattern) =>
    [...stderr.matchAll(pattern)].map(([, name, why]) => `${name}: ${why}`),
  );
}

/** Nested repositories that have no commit yet. */
function repositoriesWithoutCommit(stderr: string): string[] {
  const matches = stderr.matchAll(/^error: '(.+?)\/?' does not have a commit checked out$/gm);
  return [...matches].map(([, name = ""]) => name);
}

/** All other errors (such as a full disk), after which the tree does not match the files. */
function unexpectedErrors(stderr: string): string {
  const known = /^error: (open\(".+"\): |unable to index file |.+: can only add regular files)/;
  const lines = stderr.split("\n").filter((line) => /^(error|fatal): /.test(line) && !known.test(line));
  return [...new Set(lines)].join("; ");
}

/** Parses git's output; throws on an error that makes the tree differ from the files. */
function parseAnswer({ stdout, stderr }: GitAnswer, { workTree }: ShadowPlace): Captured {
  const tree = stdout.trim();
  const problem = unexpectedErrors(stderr) || (tree ? "" : stderr.trim());
  if (problem) throw new Error(`the snapshot of ${workTree} failed: ${problem}`);
  return { tree, omitted: uncapturedFiles(stderr) };
}

/** Retries once with a new index: the old one may be damaged, or refer to objects that a full disk did not store. */
async function retryWithNewIndex<T>(place: ShadowPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    fs.rmSync(place.index, { force: true });
    return work();
  }
}

export interface Capturer {
  capture(): Promise<Captured>;
  /** Makes the next capture drop what the changed ignore rules leave out. */
  rulesChanged(): void;
}

/** `forced` are files to capture although they are ignored. */
export function capturer(place: ShadowPlace, shell: GitShell, forced: readonly string[]): Capturer {
  const { workTree } = place;
  const nested = new Set<string>();
  let isIndexChecked = false;

  /** Removes nested repositories from the index and excludes them: adding to a recorded one would run its filters. */
  const omit = async (names: readonly string[]) => {
    for (const name of names) nested.add(name);
    if (names.length > 0)
      must(await shell.git(["update-index", "--force-remove", "--", ...names]), "snapshot");
  };

  const capture = async (): Promise<Captured> => {
    if (!isIndexChecked) {
      must(await shell.script(FORGET), "snapshot");
      await omit(await listNested(shell));
    }
    isIndexChecked = true;
    for (const name of nested) if (!fs.existsSync(path.join(workTree, name, ".git"))) nested.delete(name);
    const answer = await addFiles(place, shell, { forced, nested });
    const embedded = /^warning: adding embedded git repository/m.test(answer.stderr)
      ? await listNested(shell)
      : [];
    const fresh = [...embedded, ...repositoriesWithoutCommit(answer.stderr)].filter(
      (name) => !nested.has(name),
    );
    if (fresh.length > 0) {
      await omit(fresh);
      return capture();
    }
    const { tree, omitted } = parseAnswer(answer, place);
    const repositories = [...nested].map((name) => `${name}: a nested git repository, not captured`);
    return { tree, omitted: [...repositories, ...omitted] };
  };

  return {
    capture: async () => {
      if (!fs.existsSync(workTree)) throw new Error(`the workspace ${workTree} no longer exists`);
      // A stale lock of a killed git: only one process at a time captures, so nobody holds it.
      fs.rmSync(`${place.index}.lock`, { force: true });
      return retryWithNewIndex(place, capture);
    },
    rulesChanged: () => {
      isIndexChecked = false;
    },
  };
}

// Saves the user's index entries of protected files at the start and restores those that the agent has staged over.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Protection } from "#spec/task";
import type { FileChange, IndexCheck, Staged, Workspace } from "#spec/workspace";
import { writePrivate } from "#system/files";
import { type GitShell, openGitShell } from "#system/git";
import { fileMark } from "../shadow/outputs.ts";
import { matcher } from "./matcher.ts";
import type { Seals } from "./seals.ts";

/** Path to "mode id"; an unmerged path has an entry that equals no other. */
type Index = ReadonlyMap<string, string>;

interface Repository {
  readonly shell: GitShell;
  /** The workspace's path in the repository. */
  readonly prefix: string;
  /** The path of the index file. */
  readonly file: string;
  readonly entries: Index;
}

const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 100;
const DELETED_ENTRY = `0 ${"0".repeat(40)}`;

const SHOW = "git rev-parse --show-prefix --git-path index && git ls-files -s -z";
// $1 is a file of index entries.
const WRITE = 'git update-index -z --index-info < "$1"';

function parseIndex(listing: string): Index {
  const entries = listing.split("\0").filter(Boolean);
  return new Map(
    entries.map((entry) => {
      const tab = entry.indexOf("\t");
      const [mode, id, stage] = entry.slice(0, tab).split(" ");
      return [entry.slice(tab + 1), stage === "0" ? `${mode} ${id}` : `unmerged ${id}`];
    }),
  );
}

/** Returns undefined without a repository. */
async function openIndex(dir: string): Promise<Repository | undefined> {
  const shell = openGitShell({ cwd: dir });
  const { code, stdout } = await shell.script(SHOW);
  if (code === 0) {
    const [prefix = "", index = ""] = stdout.split("\n", 2);
    const entries = parseIndex(stdout.slice(prefix.length + index.length + 2));
    return { shell, prefix, file: path.resolve(dir, index), entries };
  }
  shell.close();
  return undefined;
}

async function withIndex<T>(
  dir: string,
  work: (repository: Repository) => Promise<T>,
): Promise<T | undefined> {
  const repository = fs.existsSync(dir) ? await openIndex(dir) : undefined;
  if (!repository) return undefined;
  try {
    return await work(repository);
  } finally {
    repository.shell.close();
  }
}

/** The newest commit since the start that changed one of the files. */
async function findCommit(
  { shell }: Repository,
  head: string,
  names: readonly string[],
): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  const args = ["--literal-pathspecs", "log", "-1", "--format=%H", `${head}..HEAD`, "--", ...names];
  const { code, stdout } = await shell.git(args);
  return code === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
}

export interface UserIndexPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  readonly dir: string;
  readonly seals: Seals;
}

/** The path without the key of a protected value. */
const fileOf = ({ path: name }: FileChange): string => name.split("#")[0] ?? name;

function protectedBy(paths: readonly Protection[]): (name: string) => boolean {
  const matchers = paths.map(matcher);
  return (name) => matchers.some((one) => one.matches(name));
}

const stageOf = (entry: string): number => (entry.startsWith("unmerged") ? 1 : 0);

/** Stores the index entries of protected files and returns the id of that text. */
function saveEntries({ seals }: UserIndexPlace, { entries }: Repository, paths: readonly Protection[]) {
  const isProtected = protectedBy(paths);
  const lines = [...entries].filter(([name]) => isProtected(name));
  return seals.keepText(lines.map(([name, entry]) => `${entry} ${stageOf(entry)}\t${name}\0`).join(""));
}

async function readSaved({ seals }: UserIndexPlace, id: string): Promise<Index | undefined> {
  const text = await seals.text(id);
  return text === undefined ? undefined : parseIndex(text);
}

/** Protected files whose index entry matches neither the saved one nor the seal. */
async function findStaged(
  { seals }: UserIndexPlace,
  { seal, paths, changes }: IndexCheck,
  { saved, now }: { readonly saved: Index; readonly now: Index },
): Promise<string[]> {
  const sealed = await seals.list(seal);
  const isWholeProtected = protectedBy(paths.filter(({ key }) => !key));
  // For a file with a protected value, the index entry counts only once that value has changed.
  const changed = new Set(changes.map(fileOf));
  const names = new Set([...saved.keys(), ...sealed.keys(), ...changed]);
  return [...names].filter((name) => {
    const [before, current] = [saved.get(name), now.get(name)];
    if (before === current || before?.startsWith("unmerged")) return false;
    if (!isWholeProtected(name) && !changed.has(name)) return false;
    const seal = sealed.get(name);
    return !(seal && current === `${seal.mode} ${seal.id}`);
  });
}

/** Writes lines of `update-index --index-info`. Returns the problem, or undefined on success. */
async function writeEntries(
  { gitDir }: UserIndexPlace,
  { shell }: Repository,
  lines: readonly string[],
): Promise<string | undefined> {
  const file = path.join(gitDir, `entries.${process.pid}`);
  writePrivate(file, lines.map((line) => `${line}\0`).join(""));
  try {
    // Retry: the user's own git may briefly hold index.lock.
    for (let tries = 1; ; tries++) {
      const { code, stderr } = await shell.script(WRITE, [file]);
      if (code === 0) return undefined;
      if (tries === LOCK_TRIES || !stderr.includes("index.lock")) return stderr.trim().split("\n")[0] ?? "";
      await sleep(LOCK_PAUSE_MS);
    }
  } finally {
    fs.rmSync(file, { force: true });
  }
}

/** Restores the saved entries of protected files, and names the commit that has changed one of them. */
async function restoreEntries(
  place: UserIndexPlace,
  repository: Repository,
  check: IndexCheck,
): Promise<Staged> {
  const { entries: now, prefix } = repository;
  const saved = await readSaved(place, check.index);
  const names = saved ? await findStaged(place, check, { saved, now }) : [];
  const lines = names.map((name) => `${saved?.get(name) ?? DELETED_ENTRY}\t${prefix}${name}`);
  const problem = lines.length > 0 ? await writeEntries(place, repository, lines) : undefined;
  const changed = new Set([...names, ...check.changes.map(fileOf)]);
  const commit = check.head && (await findCommit(repository, check.head, [...changed]));
  return {
    changes: names.map((name) => ({ path: name, kind: now.has(name) ? "changed" : "deleted" })),
    ...(commit && { commit }),
    ...(problem && { problem }),
  };
}

export function userIndex(place: UserIndexPlace): Pick<Workspace, "keepIndex" | "unstage"> {
  const { dir } = place;
  // Cached because reading the index of a large repository is slow and agents rarely stage anything.
  let lastRead: { readonly file: string; readonly mark: string | undefined } | undefined;
  const isUnchanged = () => lastRead?.mark !== undefined && fileMark(lastRead.file) === lastRead.mark;

  return {
    keepIndex: (paths) =>
      withIndex(dir, async (repository) => {
        lastRead = { file: repository.file, mark: fileMark(repository.file) };
        return saveEntries(place, repository, paths);
      }),
    unstage: async (check) => {
      if (check.changes.length === 0 && isUnchanged()) return { changes: [] };
      const staged = await withIndex(dir, async (repository) => {
        const read = { file: repository.file, mark: fileMark(repository.file) };
        lastRead = undefined;
        const restored = await restoreEntries(place, repository, check);
        if (restored.changes.length === 0) lastRead = read;
        return restored;
      });
      return staged ?? { changes: [] };
    },
  };
}

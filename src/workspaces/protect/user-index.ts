// Saves the user's index entries of protected files at the start and restores those that the agent has staged over.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Protection } from "#spec/task";
import type { FileChange, IndexCheck, Staged, Workspace } from "#spec/workspace";
import { writePrivate } from "#system/files";
import { type GitShell, openGitShell } from "#system/git";
import { fileMark } from "../shadow/file-mark.ts";
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

const TRIES = 20;
const PAUSE_MS = 100;
const GONE = `0 ${"0".repeat(40)}`;

const SHOW = "git rev-parse --show-prefix --git-path index && git ls-files -s -z";
// $1 is a file of index entries.
const WRITE = 'git update-index -z --index-info < "$1"';

function parse(listing: string): Index {
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
    const entries = parse(stdout.slice(prefix.length + index.length + 2));
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
async function commitWith(
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

type UserIndex = Pick<Workspace, "keepIndex" | "unstage">;

/** The path without the key of a protected value. */
const fileOf = ({ path: name }: FileChange): string => name.split("#")[0] ?? name;

export function userIndex({ gitDir, dir, seals }: UserIndexPlace): UserIndex {
  const isProtected = (paths: readonly Protection[]) => {
    const matchers = paths.map(matcher);
    return (name: string) => matchers.some((one) => one.matches(name));
  };

  // Cached because reading the index of a large repository is slow and agents rarely stage anything.
  let seen: { readonly file: string; readonly mark: string | undefined } | undefined;
  const remember = ({ file }: Repository) => {
    seen = { file, mark: fileMark(file) };
  };
  const isUnchanged = (): boolean => seen?.mark !== undefined && fileMark(seen.file) === seen.mark;

  const kept = async (index: string): Promise<Index | undefined> => {
    const bytes = await seals.text(index);
    return bytes === undefined ? undefined : parse(bytes);
  };

  /** Protected files whose index entry matches neither the one from the start nor the seal. */
  const differing = async ({ index, seal, paths, changes }: IndexCheck, now: Index): Promise<string[]> => {
    const before = await kept(index);
    if (!before) return [];
    const sealed = await seals.list(seal);
    const whole = isProtected(paths.filter(({ key }) => !key));
    // For a file with a protected value, the index entry counts only once that value has changed.
    const changed = new Set(changes.map(fileOf));
    const names = new Set([...before.keys(), ...sealed.keys(), ...changed]);
    return [...names].filter((name) => {
      const [was, is] = [before.get(name), now.get(name)];
      if (was === is || was?.startsWith("unmerged") || !(whole(name) || changed.has(name))) return false;
      const as = sealed.get(name);
      return !(as && is === `${as.mode} ${as.id}`);
    });
  };

  /** Returns the problem, or undefined on success. */
  const write = async ({ shell, prefix }: Repository, names: readonly string[], before?: Index) => {
    const file = path.join(gitDir, `entries.${process.pid}`);
    writePrivate(file, names.map((name) => `${before?.get(name) ?? GONE}\t${prefix}${name}\0`).join(""));
    try {
      // Retry: the user's own git may briefly hold index.lock.
      for (let tries = 1; ; tries++) {
        const { code, stderr } = await shell.script(WRITE, [file]);
        if (code === 0) return undefined;
        if (tries === TRIES || !stderr.includes("index.lock")) return stderr.trim().split("\n")[0] ?? "";
        await sleep(PAUSE_MS);
      }
    } finally {
      fs.rmSync(file, { force: true });
    }
  };

  return {
    keepIndex: (paths) =>
      withIndex(dir, async (repository) => {
        const { entries } = repository;
        remember(repository);
        const isKept = isProtected(paths);
        const lines = [...entries].filter(([name]) => isKept(name));
        return seals.keepText(lines.map(([name, entry]) => `${entry} ${stageOf(entry)}\t${name}\0`).join(""));
      }),
    unstage: async (check): Promise<Staged> => {
      if (check.changes.length === 0 && isUnchanged()) return { changes: [] };
      const done = await withIndex(dir, async (repository): Promise<Staged> => {
        const { entries } = repository;
        remember(repository);
        const names = await differing(check, entries);
        if (names.length > 0) seen = undefined;
        const problem =
          names.length > 0 ? await write(repository, names, await kept(check.index)) : undefined;
        const changed = [...names, ...check.changes.map(fileOf)];
        const commit = check.head && (await commitWith(repository, check.head, [...new Set(changed)]));
        return {
          changes: names.map((name) => ({ path: name, kind: entries.has(name) ? "changed" : "deleted" })),
          ...(commit && { commit }),
          ...(problem && { problem }),
        };
      });
      return done ?? { changes: [] };
    },
  };
}

const stageOf = (entry: string): number => (entry.startsWith("unmerged") ? 1 : 0);

// Separates outputs of gates (build output, logs, caches) from work: untracked files that gates were seen to write.
import fs from "node:fs";
import path from "node:path";
import type { Workspace } from "#spec/workspace";
import { git } from "#system/git";
import { stateOf } from "#system/hash";
import { canBeIgnored } from "./ignore-rule.ts";
import type { Shadow } from "./shadow.ts";

/** Limit of outputs per run; further written files count as changes. */
const MAX_OUTPUTS = 200;
const MAX_CANDIDATES = 1_000;

/**
 * Folders that tools write. The name alone is not enough: such a folder from before the run counts as output only once
 * a gate is seen to write into it.
 */
const TOOL_FOLDERS = new Set(
  `target build dist out _build .build cmake-build-debug cmake-build-release zig-out .zig-cache obj
   node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .venv venv .eggs
   coverage htmlcov .nyc_output test-results playwright-report .next .nuxt .turbo .cache .gradle .dart_tool`
    .split(/\s+/)
    .filter(Boolean),
);

const TOOL_FILE = /\.(log|trs|o|obj|pyc|class|gcda|gcno|tmp|out)$/;

/** Whether a tool made the file, judging by its name. */
export function isToolMade(name: string): boolean {
  return TOOL_FILE.test(name) || toolFolder(name) !== undefined;
}

/** Whether the path is an output or lies in a folder that is one. */
export function isAmong(name: string, outputs: ReadonlySet<string>): boolean {
  if (outputs.has(name)) return true;
  const folders = name.split("/").slice(0, -1);
  return folders.some((_, at) => outputs.has(`${folders.slice(0, at + 1).join("/")}/`));
}

/** The topmost parent folder that has a tool's name. */
function toolFolder(name: string): string | undefined {
  const folders = name.split("/").slice(0, -1);
  const at = folders.findIndex((folder) => TOOL_FOLDERS.has(folder));
  return at === -1 ? undefined : `${folders.slice(0, at + 1).join("/")}/`;
}

const isWithin = (name: string, folders: readonly string[]): boolean =>
  folders.some((folder) => folder.endsWith("/") && name !== folder && name.startsWith(folder));

const BINARY_BYTES = 8_000;

/** Uses git's rule: a text file has no NUL byte near its start. */
function isText(file: string): boolean {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  try {
    const bytes = Buffer.alloc(BINARY_BYTES);
    return !bytes.subarray(0, fs.readSync(handle, bytes)).includes(0);
  } catch {
    return false;
  } finally {
    fs.closeSync(handle);
  }
}

const isReadable = (file: string): boolean => {
  try {
    return fs.lstatSync(file).isFile() && isText(file);
  } catch {
    return false;
  }
};

/** The tracked files of the user's repository below `dir`, limited to `paths` if given; empty without a repository. */
export async function trackedFiles(dir: string, paths: readonly string[] = []): Promise<ReadonlySet<string>> {
  const args = ["--literal-pathspecs", "ls-files", "-z", "--", ...paths];
  const { code, stdout } = await git(args, { cwd: dir });
  return new Set(code === 0 ? stdout.split("\0").filter(Boolean) : []);
}

/** Detects a changed file without reading it. Returns undefined when there is none; does not follow a link. */
export function fileMark(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat && stateOf(stat);
}

async function withoutTracked(dir: string, names: readonly string[]): Promise<string[]> {
  const tracked = names.length > 0 ? [...(await trackedFiles(dir, names))] : [];
  return names.filter((name) => !tracked.some((file) => file === name || isWithin(file, [name])));
}

type OutputFinder = Pick<Workspace, "findOutputs" | "reclaimOutputs">;

export interface KnownOutputs {
  /** Of the whole run. */
  readonly all: Set<string>;
  /** Of its baseline. */
  readonly atBaseline: Set<string>;
}

export function outputFinder(dir: string, shadow: Shadow, known: KnownOutputs): OutputFinder {
  const marks = new Map<string, string | undefined>();

  const markAll = () => {
    marks.clear();
    for (const name of known.all) if (!name.endsWith("/")) marks.set(name, fileMark(path.join(dir, name)));
  };

  /** Written paths, tracked or not; may list a folder as well as files in it. */
  const findCandidates = async (isBaseline: boolean): Promise<string[]> => {
    const { fresh, changed } = await shadow.written();
    const folders = [...fresh, ...changed].flatMap((name) => toolFolder(name) ?? []);
    // Once an agent has worked, its program may have written a single file, but not a folder without captured files.
    const listed = isBaseline ? fresh : fresh.filter((name) => name.endsWith("/"));
    return [...new Set([...folders, ...listed])].filter(canBeIgnored).slice(0, MAX_CANDIDATES);
  };

  const removePaths = async (trees: readonly string[], paths: readonly string[]) => {
    const renamed: Record<string, string> = {};
    for (const tree of new Set(trees)) {
      const rest = await shadow.without(tree, paths);
      if (rest !== tree) renamed[tree] = rest;
    }
    return renamed;
  };

  return {
    findOutputs: async ({ isBaseline, trees, besides }) => {
      const untracked = await withoutTracked(dir, await findCandidates(isBaseline));
      const written = [...untracked, ...besides.filter(canBeIgnored)];
      const paths = [...new Set(written)]
        .filter((name) => !known.all.has(name) && !isWithin(name, [...known.all, ...written]))
        .slice(0, Math.max(0, MAX_OUTPUTS - known.all.size))
        .sort();
      for (const name of paths) known.all.add(name);
      if (isBaseline) for (const name of paths) known.atBaseline.add(name);
      markAll();
      if (paths.length === 0) return { paths, trees: {} };
      shadow.leaveOut([...known.all]);
      return { paths, trees: await removePaths(trees, paths) };
    },
    reclaimOutputs: async () => {
      const edited = [...known.all].filter((name) => {
        const file = path.join(dir, name);
        return marks.has(name) && fileMark(file) !== marks.get(name) && isReadable(file);
      });
      for (const name of edited) known.all.delete(name);
      if (edited.length > 0) shadow.leaveOut([...known.all]);
      return edited;
    },
  };
}

// Tells what gates write (build output, logs, caches) from work: untracked files that were seen to be written.
import fs from "node:fs";
import path from "node:path";
import type { Workspace } from "#spec/workspace";
import { canBeIgnored } from "./ignore-rule.ts";
import type { Shadow } from "./shadow.ts";
import { trackedFiles } from "./tracked-files.ts";

/** Beyond these, what is written counts as a change. */
const LISTED = 200;
const LOOKED_AT = 1_000;

/**
 * Folders that tools write. A name says nothing by itself: it only lets a folder count as output that was there before
 * the run, once a gate is seen to write into it.
 */
const TOOL_FOLDERS = new Set(
  `target build dist out _build .build cmake-build-debug cmake-build-release zig-out .zig-cache obj
   node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .venv venv .eggs
   coverage htmlcov .nyc_output test-results playwright-report .next .nuxt .turbo .cache .gradle .dart_tool`
    .split(/\s+/)
    .filter(Boolean),
);

/** The topmost folder on the way that has a tool's name. */
function toolFolder(name: string): string | undefined {
  const folders = name.split("/").slice(0, -1);
  const at = folders.findIndex((folder) => TOOL_FOLDERS.has(folder));
  return at === -1 ? undefined : `${folders.slice(0, at + 1).join("/")}/`;
}

const isWithin = (name: string, folders: readonly string[]): boolean =>
  folders.some((folder) => folder.endsWith("/") && name !== folder && name.startsWith(folder));

/** Whether a file changed, by what the file system says of it: nobody can set all of it back. */
function markOf(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat && [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join();
}

const BINARY_BYTES = 8_000;

/** As git decides it. */
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

type OutputFinder = Pick<Workspace, "findOutputs" | "reclaimOutputs">;

/** `onBaseline` hears of what the gates wrote on the untouched files. */
export function outputFinder(
  dir: string,
  shadow: Shadow,
  onBaseline: (paths: readonly string[]) => void,
): OutputFinder {
  const marks = new Map<string, string | undefined>();

  const mark = (outputs: readonly string[]) => {
    marks.clear();
    for (const name of outputs) if (!name.endsWith("/")) marks.set(name, markOf(path.join(dir, name)));
  };

  /** What was written, tracked or not; the files of a folder may stand beside it. */
  const candidates = async (isBaseline: boolean): Promise<string[]> => {
    const { fresh, changed } = await shadow.written();
    const folders = [...fresh, ...changed].flatMap((name) => toolFolder(name) ?? []);
    // Once an agent has worked, a single file may be its program's doing; a folder that nobody else has files in is not.
    const seen = isBaseline ? fresh : fresh.filter((name) => name.endsWith("/"));
    return [...new Set([...folders, ...seen])].filter(canBeIgnored).slice(0, LOOKED_AT).sort();
  };

  const untracked = async (names: readonly string[]): Promise<string[]> => {
    const tracked = names.length > 0 ? [...(await trackedFiles(dir, names))] : [];
    return names.filter((name) => !tracked.some((file) => file === name || isWithin(file, [name])));
  };

  return {
    findOutputs: async ({ known, isBaseline, trees }) => {
      const found = (await untracked(await candidates(isBaseline))).filter((name) => !known.includes(name));
      const paths = found
        .filter((name) => !isWithin(name, [...known, ...found]))
        .slice(0, Math.max(0, LISTED - known.length));
      const outputs = [...known, ...paths];
      mark(outputs);
      if (paths.length === 0) return { paths, trees: {} };
      if (isBaseline) onBaseline(paths);
      shadow.leaveOut(outputs);
      const renamed: Record<string, string> = {};
      for (const tree of new Set(trees)) {
        const without = await shadow.without(tree, paths);
        if (without !== tree) renamed[tree] = without;
      }
      return { paths, trees: renamed };
    },
    reclaimOutputs: async (known) => {
      const files = known.filter((name) => marks.has(name));
      const touched = files.filter((name) => {
        const file = path.join(dir, name);
        return markOf(file) !== marks.get(name) && isReadable(file);
      });
      if (touched.length > 0) shadow.leaveOut(known.filter((name) => !touched.includes(name)));
      return touched;
    },
  };
}

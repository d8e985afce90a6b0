// Lists the files of the base that git tracks or would track, and reads them with a size limit.
import fs from "node:fs";
import path from "node:path";
import { readSmall } from "#system/files";
import { git } from "#system/git";
import { pathInside } from "#system/inside";
import { walk } from "#system/walk";

/** Folders that belong to tools: no rule and no protection applies in them. */
export const TOOL_FOLDERS = [".git", "node_modules", "__pycache__", ".venv", "venv", ".tox"];

const MAX_FILES = 60_000;
const LARGEST = 1024 * 1024;

export interface BaseFiles {
  readonly dir: string;
  /** Relative paths, sorted and bounded, without files that git ignores. */
  readonly list: readonly string[];
  /** Paths that git ignores, bounded; a folder ends with a slash. */
  readonly ignored: readonly string[];
  has(file: string): boolean;
  kindOf(name: string): "file" | "folder" | undefined;
  /** Resolves a name relative to the workspace; undefined when it is outside, or is the workspace itself. */
  inside(name: string, folder?: string): string | undefined;
  /** The text of a file in the workspace; empty when it is missing, too large or not a regular file. */
  read(file: string): string;
}

const isToolFolder = (name: string): boolean => TOOL_FOLDERS.includes(name);
const isOurs = (file: string): boolean => !file.split("/").some(isToolFolder);

/** Lists every file on disk when there is no git; does not follow links. */
function listOnDisk(dir: string): string[] {
  const files: string[] = [];
  // Gates cannot read files in an unreadable folder either.
  for (const { name, entry } of walk(dir, { skipped: new Set(TOOL_FOLDERS), onUnreadable: () => {} }))
    if (!entry.isDirectory() && files.push(name) >= MAX_FILES) return files;
  return files;
}

const split = (text: string): string[] => text.split("\0").filter(Boolean).slice(0, MAX_FILES);

const IGNORED = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];

/** Returns a check whether git ignores a file; nothing is ignored without a repository. */
export async function ignoredFiles(dir: string): Promise<(file: string) => boolean> {
  const { code, stdout } = await git(IGNORED, { cwd: dir });
  const names = code === 0 ? split(stdout) : [];
  const files = new Set(names);
  const folders = names.filter((name) => name.endsWith("/"));
  return (file) => files.has(file) || folders.some((folder) => file.startsWith(folder));
}

async function listed(dir: string): Promise<{ list: string[]; ignored: string[] }> {
  const [known, ignored] = await Promise.all([
    git(["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: dir }),
    git(IGNORED, { cwd: dir }),
  ]);
  if (known.code !== 0) return { list: listOnDisk(dir), ignored: [] };
  return { list: split(known.stdout).filter(isOurs), ignored: split(ignored.stdout) };
}

export async function openFiles(dir: string): Promise<BaseFiles> {
  const { list, ignored } = await listed(dir);
  const known = new Set(list);
  const inside = (name: string, folder = "") => pathInside(dir, path.resolve(dir, folder, name));
  const kindOf = (name: string) => {
    try {
      const stat = fs.statSync(path.join(dir, name));
      return stat.isDirectory() ? "folder" : stat.isFile() ? "file" : undefined;
    } catch {
      // A word of a command may be no valid file name.
      return undefined;
    }
  };
  return {
    dir,
    list: list.sort(),
    ignored,
    has: (file) => known.has(file),
    kindOf,
    inside,
    read: (file) => readSmall(path.join(dir, file), LARGEST).replace(/^\ufeff/, ""),
  };
}

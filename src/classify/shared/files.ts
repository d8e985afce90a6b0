// Lists the files of the base that git tracks or would track, and reads them with a size limit.
import fs from "node:fs";
import path from "node:path";
import { readSmall } from "#system/files";
import { git } from "#system/git";
import { pathInside } from "#system/inside";

/** Folders that belong to tools: no rule and no protection applies in them. */
export const TOOL_FOLDERS = [".git", "node_modules", "__pycache__", ".venv", "venv", ".tox"];

const MOST_FILES = 60_000;
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
function walk(dir: string): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    let entries: fs.Dirent[] = [];
    try {
      entries = fs.readdirSync(path.join(dir, folder), { withFileTypes: true });
    } catch {
      // Gates cannot read files in an unreadable folder either.
    }
    for (const entry of entries) {
      if (isToolFolder(entry.name)) continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(name);
      else if (found.push(name) >= MOST_FILES) return found;
    }
  }
  return found;
}

const split = (text: string): string[] => text.split("\0").filter(Boolean).slice(0, MOST_FILES);

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
  if (known.code !== 0) return { list: walk(dir), ignored: [] };
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

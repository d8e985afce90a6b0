// Walks the disk for files that matchers match. Lists symbolic links without following them and does not use git.
import fs from "node:fs";
import path from "node:path";
import { LEFT_OUT, type Matcher } from "./matcher.ts";

const GONE = ["ENOENT", "ENOTDIR"];

/** Skips an unreadable folder of another user, which gates cannot read either; one of our own is an error. */
function listing(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (GONE.includes(code)) return [];
    const owner = fs.statSync(folder, { throwIfNoEntry: false })?.uid;
    if (code === "EACCES" && owner !== process.getuid?.()) return [];
    throw new Error(`cannot look for protected files in ${folder}: ${(error as Error).message}`);
  }
}

type Groups = readonly (readonly Matcher[])[];

const reaching = (groups: Groups, folder: string): Groups =>
  groups.map((group) => group.filter((one) => one.reaches(folder)));

/** The files of each group of matchers, sorted; walks the folder once for all groups. */
export function filesOfGroups(dir: string, groups: Groups): string[][] {
  const found = groups.map((): string[] => []);
  const add = (name: string, active: Groups): void => {
    for (const [at, group] of active.entries())
      if (group.some((one) => one.matches(name))) found[at]?.push(name);
  };
  const look = (folder: string, active: Groups): void => {
    if (active.every(({ length }) => length === 0)) return;
    for (const entry of listing(path.join(dir, folder))) {
      if (LEFT_OUT.includes(entry.name)) continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) look(name, reaching(active, name));
      else if (entry.isFile() || entry.isSymbolicLink()) add(name, active);
    }
  };
  look("", groups);
  return found.map((names) => names.sort());
}

export function filesMatching(dir: string, matchers: readonly Matcher[]): string[] {
  return filesOfGroups(dir, [matchers])[0] ?? [];
}

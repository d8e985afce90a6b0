// The files that matchers mean, as they lie on disk: links are listed, never followed, and no git is asked.
import fs from "node:fs";
import path from "node:path";
import { LEFT_OUT, type Matcher } from "./matcher.ts";

const GONE = ["ENOENT", "ENOTDIR"];

/** What somebody else keeps to himself is not what our gates read; what is ours and shut is not passed over. */
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

/** The files of each group of matchers, sorted; the folder is walked once for all groups. */
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

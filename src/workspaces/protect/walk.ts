// Walks the disk for files that matchers match. Lists symbolic links without following them and does not use git.
import fs from "node:fs";
import path from "node:path";
import { walk } from "#system/walk";
import { LEFT_OUT, type Matcher } from "./matcher.ts";

const GONE = ["ENOENT", "ENOTDIR"];
const SKIPPED = new Set(LEFT_OUT);

/** Skips an unreadable folder of another user, which gates cannot read either; one of our own is an error. */
function checkUnreadable(folder: string, { code = "", message }: NodeJS.ErrnoException): void {
  if (GONE.includes(code)) return;
  const owner = fs.statSync(folder, { throwIfNoEntry: false })?.uid;
  if (code === "EACCES" && owner !== process.getuid?.()) return;
  throw new Error(`cannot look for protected files in ${folder}: ${message}`);
}

type Groups = readonly (readonly Matcher[])[];

const reaching = (groups: Groups, folder: string): Groups =>
  groups.map((group) => group.filter((one) => one.reaches(folder)));

/** The files of each group of matchers, sorted; walks the folder once for all groups. */
export function filesOfGroups(dir: string, groups: Groups): string[][] {
  const files = groups.map((): string[] => []);
  if (groups.every(({ length }) => length === 0)) return files;
  // The matchers that reach a folder, by folder: they get fewer with every level.
  const activeIn = new Map([[".", groups]]);
  const activeAround = (name: string): Groups => activeIn.get(path.dirname(name)) ?? groups;
  const canEnter = (folder: string): boolean => {
    const active = reaching(activeAround(folder), folder);
    activeIn.set(folder, active);
    return active.some(({ length }) => length > 0);
  };
  for (const { name, entry } of walk(dir, { skipped: SKIPPED, canEnter, onUnreadable: checkUnreadable }))
    if (entry.isFile() || entry.isSymbolicLink())
      for (const [at, group] of activeAround(name).entries())
        if (group.some((one) => one.matches(name))) files[at]?.push(name);
  return files.map((names) => names.sort());
}

export function filesMatching(dir: string, matchers: readonly Matcher[]): string[] {
  return filesOfGroups(dir, [matchers])[0] ?? [];
}

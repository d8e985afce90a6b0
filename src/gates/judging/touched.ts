// Detects whether files were written meanwhile, by `stat` only.
import fs from "node:fs";
import path from "node:path";
import { FOREIGN_FOLDERS, walk } from "#system/walk";

export type Traces = ReadonlyMap<string, string>;

export function tracesOf(root: string): Traces {
  const traces = new Map<string, string>();
  // Git's own folder changes on reads, and installed packages are not judged.
  for (const { name } of walk(root, { skipped: FOREIGN_FOLDERS })) {
    const stat = fs.lstatSync(path.join(root, name), { bigint: true, throwIfNoEntry: false });
    if (stat) traces.set(name, `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs}`);
  }
  return traces;
}

/** The files that were added, deleted or changed. */
export function touched(before: Traces, after: Traces): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

// Detects whether files were written meanwhile, by `stat` only.
import fs from "node:fs";
import path from "node:path";

export type Traces = ReadonlyMap<string, string>;

/** Git's own folder changes on reads, and installed packages are not judged. */
const LEFT_OUT = new Set([".git", "node_modules"]);

export function tracesOf(root: string): Traces {
  const traces = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
      if (LEFT_OUT.has(entry.name)) continue;
      const name = path.join(folder, entry.name);
      const stat = fs.lstatSync(path.join(root, name), { bigint: true, throwIfNoEntry: false });
      if (!stat) continue;
      traces.set(name, `${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs}`);
      if (stat.isDirectory()) visit(name);
    }
  };
  visit("");
  return traces;
}

/** The files that were added, deleted or changed. */
export function touched(before: Traces, after: Traces): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

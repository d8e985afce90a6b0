// Whether a path that an agent names lies in the workspace, wherever links lead.
import fs from "node:fs";
import path from "node:path";

/** With all links followed, of what there is of it; undefined when a link leads nowhere or cannot be looked at. */
function realOf(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    if (isThere(file)) return undefined;
    const parent = path.dirname(file);
    const above = parent === file ? undefined : realOf(parent);
    return above === undefined ? undefined : path.join(above, path.basename(file));
  }
}

/** What cannot be looked at counts as there. */
function isThere(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

export function isInside(dir: string, named: string): boolean {
  // A shell's own home, and bytes that no path has: whatever they mean, they do not mean the workspace.
  if (/^~|\0/.test(named)) return false;
  const base = fs.realpathSync(dir);
  const real = realOf(path.resolve(base, named));
  return real === base || real?.startsWith(base + path.sep) === true;
}

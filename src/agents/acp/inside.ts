// Checks whether a path that an agent names is inside the workspace, with symlinks resolved.
import fs from "node:fs";
import path from "node:path";

/** Resolves all symlinks of the existing part; undefined when a link is dangling or unreadable. */
function resolveLinks(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    if (exists(file)) return undefined;
    const parent = path.dirname(file);
    const realParent = parent === file ? undefined : resolveLinks(parent);
    return realParent === undefined ? undefined : path.join(realParent, path.basename(file));
  }
}

/** An unreadable path counts as existing. */
function exists(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

export function isInside(dir: string, named: string): boolean {
  // A path with "~" or a null byte never means the workspace.
  if (/^~|\0/.test(named)) return false;
  const base = fs.realpathSync(dir);
  const real = resolveLinks(path.resolve(base, named));
  return real === base || real?.startsWith(base + path.sep) === true;
}

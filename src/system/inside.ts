// Checks whether a path is inside a folder. A name that only begins with two dots, such as `..x`, is inside.
import fs from "node:fs";
import path from "node:path";

const isUpward = (relative: string): boolean => relative === ".." || relative.startsWith(`..${path.sep}`);

/** Whether the path is the folder or inside it, by name alone. A relative path is relative to the folder. */
export function isInside(folder: string, name: string): boolean {
  return !isUpward(path.relative(folder, path.resolve(folder, name)));
}

/** The path relative to the folder; undefined when it is outside, or the folder itself. */
export function pathInside(folder: string, name: string): string | undefined {
  const relative = path.relative(folder, path.resolve(folder, name));
  return relative === "" || isUpward(relative) ? undefined : relative;
}

/**
 * Normalises a relative path of a folder that is not known yet; undefined when it is absolute, leads out of the folder, or
 * is the folder itself.
 */
export function normaliseInside(name: string): string | undefined {
  const normal = path.normalize(name).replace(/\/+$/, "");
  return path.isAbsolute(name) || normal === "." || isUpward(normal) ? undefined : normal;
}

/**
 * Like `isInside`, with symbolic links resolved in both. A part that does not exist counts by its name; a dangling or
 * unreadable link is never inside.
 */
export function isInsideResolved(folder: string, name: string): boolean {
  const base = resolveLinks(path.resolve(folder));
  const real = base === undefined ? undefined : resolveLinks(path.resolve(base, name));
  return base !== undefined && real !== undefined && isInside(base, real);
}

/** Whether a symbolic link below the folder leads to the path. Both must exist. */
export function isBehindLink(folder: string, name: string): boolean {
  const file = path.resolve(folder, name);
  return fs.realpathSync(file) !== path.join(fs.realpathSync(folder), path.relative(folder, file));
}

/** Resolves the symbolic links of the existing part; undefined when a link is dangling or unreadable. */
function resolveLinks(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    if (hasEntry(file)) return undefined;
    const parent = path.dirname(file);
    const realParent = parent === file ? undefined : resolveLinks(parent);
    return realParent === undefined ? undefined : path.join(realParent, path.basename(file));
  }
}

/** An unreadable path counts as existing. */
function hasEntry(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

import path from "node:path";
import { type Env, isNeverAllowed, isUsualVariable } from "#system/environment";
import { isInside, isInsideResolved } from "#system/inside";

/** Keeps absolute folders of PATH that are outside all workspaces, with links resolved. */
export function cleanPath(searchPath: string, workspaces: readonly string[]): string {
  const isOutside = (folder: string) =>
    !workspaces.some((dir) => isInside(dir, folder) || isInsideResolved(dir, folder));
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.filter(isOutside).join(path.delimiter);
}

interface ScrubOptions {
  /** The folders that an agent works in. */
  readonly workspaces: readonly string[];
  /** Additional variables to pass. */
  readonly names: readonly string[];
  /** Folder for temporary files. */
  readonly tmp: string;
}

/** Passes only allowlisted variables, a clean PATH and a temporary folder. */
export function scrubEnvironment(env: Env, { workspaces, names, tmp }: ScrubOptions): Record<string, string> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (isUsualVariable(entry[0]) || names.includes(entry[0])) &&
      !isNeverAllowed(entry[0]),
  );
  return {
    ...Object.fromEntries(passed),
    PATH: cleanPath(env.PATH ?? "", workspaces),
    TMPDIR: tmp,
    CI: "1",
  };
}

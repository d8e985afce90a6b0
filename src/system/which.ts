// Resolves a program name to the first executable file on the search path.
import fs from "node:fs";
import path from "node:path";

/** A name with a slash is a path. Relative folders on the search path are skipped: they differ with every working folder. */
export function which(name: string, searchPath: string): string | undefined {
  if (name.includes("/")) return path.isAbsolute(name) && isProgram(name) ? name : undefined;
  return programsNamed(name, searchPath)[0];
}

/** Returns every program of that name on the search path, in order. */
export function programsNamed(name: string, searchPath: string): readonly string[] {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).filter(isProgram);
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

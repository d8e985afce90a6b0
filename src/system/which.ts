// Which file a program's name means: the first one on the search path that can be executed.
import fs from "node:fs";
import path from "node:path";

/** A name with a slash means itself. Relative folders on the path are passed over: they mean another file in every folder. */
export function which(name: string, searchPath: string): string | undefined {
  if (name.includes("/")) return path.isAbsolute(name) && isProgram(name) ? name : undefined;
  return programsNamed(name, searchPath)[0];
}

/** All of that name on the search path, first things first. */
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

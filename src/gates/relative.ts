// Paths as people read them: from the workspace on, whatever the tools printed.
import fs from "node:fs";
import path from "node:path";
import type { Failure } from "#spec/verdict";

/** The text with absolute paths (and file: URLs) into `dir` made relative to it. */
export function relative(text: string, dir: string): string {
  const literal = `${dir}/`.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Not in the middle of a longer path: /data/project/a.ts is not in /project.
  return text.replace(new RegExp(`(?<![\\w./~@%+-])(?:file://)?${literal}`, "g"), "");
}

/** A place that the tool named from its own folder, named from the workspace. */
function fromWorkspace(place: string, dir: string, cwd: string): string {
  const [, file = place, line = ""] = /^(.*?)((?::\d+)*)$/s.exec(place) ?? [];
  const there = path.resolve(cwd, file);
  return path.isAbsolute(file) || !fs.existsSync(there) ? place : path.relative(dir, there) + line;
}

/** The failure of a command that ran in `cwd`, a folder of the workspace `dir`. */
export function relativeFailure(failure: Failure, dir: string, cwd: string): Failure {
  const shortened = Object.fromEntries(
    Object.entries(failure).map(([key, text]) => [key, relative(text, dir)]),
  ) as unknown as Failure;
  if (failure.location === undefined) return shortened;
  return { ...shortened, location: relative(fromWorkspace(failure.location, dir, cwd), dir) };
}

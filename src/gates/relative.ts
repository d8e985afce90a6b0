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

/** Source roots of Java build tools: stack traces name files from there on. */
const SOURCE_ROOTS = [
  "src/test/java",
  "src/test/kotlin",
  "src/test/groovy",
  "src/test/scala",
  "src/main/java",
];

/** A place that the tool named from its own folder, named from the workspace. */
function fromWorkspace(place: string, dir: string, cwd: string): string {
  const [, file = place, line = ""] = /^(.*?)((?::\d+)*)$/s.exec(place) ?? [];
  if (path.isAbsolute(file)) return place;
  const there = placesOf(file)
    .map((each) => path.resolve(cwd, each))
    .find((each) => fs.existsSync(each));
  return there === undefined ? place : path.relative(dir, there) + line;
}

// A Go package is named by its import path, which begins with the name of the module and not with a folder.
function placesOf(file: string): readonly string[] {
  const segments = file.split("/");
  const inModule = file.endsWith(".go")
    ? segments.slice(1).map((_, at) => segments.slice(at + 1).join("/"))
    : [];
  const inSources = /\.(?:java|kt|groovy|scala)$/.test(file)
    ? SOURCE_ROOTS.map((root) => `${root}/${file}`)
    : [];
  return [file, ...inModule, ...inSources];
}

/** The failure of a command that ran in `cwd`, a folder of the workspace `dir`. */
export function relativeFailure(failure: Failure, dir: string, cwd: string): Failure {
  const shortened = Object.fromEntries(
    Object.entries(failure).map(([key, text]) => [key, relative(text, dir)]),
  ) as unknown as Failure;
  if (failure.location === undefined) return shortened;
  return { ...shortened, location: relative(fromWorkspace(failure.location, dir, cwd), dir) };
}

// Makes paths in tool output relative to the workspace.
import fs from "node:fs";
import path from "node:path";
import type { Failure } from "#spec/verdict";

/** Makes absolute paths and file: URLs inside `dir` relative to it. */
export function relativePaths(text: string, dir: string): string {
  const literal = `${dir}/`.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Matches only at the start of a path: /data/project/a.ts is not in /project.
  return text.replace(new RegExp(`(?<![\\w./~@%+-])(?:file://)?${literal}`, "g"), "");
}

/** Source roots of Java build tools, which stack traces omit. */
const SOURCE_ROOTS = [
  "src/test/java",
  "src/test/kotlin",
  "src/test/groovy",
  "src/test/scala",
  "src/main/java",
];

/** Converts a location relative to the tool's folder to one relative to the workspace. */
function fromWorkspace(location: string, dir: string, cwd: string): string {
  const [, file = location, line = ""] = /^(.*?)((?::\d+)*)$/s.exec(location) ?? [];
  if (path.isAbsolute(file)) return location;
  const existing = candidatesFor(file)
    .map((each) => path.resolve(cwd, each))
    .find((each) => fs.existsSync(each));
  return existing === undefined ? location : path.relative(dir, existing) + line;
}

// A Go package has an import path, which starts with the module name instead of a folder.
function candidatesFor(file: string): readonly string[] {
  const segments = file.split("/");
  const inModule = file.endsWith(".go")
    ? segments.slice(1).map((_, at) => segments.slice(at + 1).join("/"))
    : [];
  const inSources = /\.(?:java|kt|groovy|scala)$/.test(file)
    ? SOURCE_ROOTS.map((root) => `${root}/${file}`)
    : [];
  return [file, ...inModule, ...inSources];
}

/** Makes the location of a failure relative to the workspace `dir`; the command ran in `cwd`. */
export function relativeFailure(failure: Failure, dir: string, cwd: string): Failure {
  const shortened = Object.fromEntries(
    Object.entries(failure).map(([key, text]) => [key, relativePaths(text, dir)]),
  ) as unknown as Failure;
  if (failure.location === undefined) return shortened;
  return { ...shortened, location: relativePaths(fromWorkspace(failure.location, dir, cwd), dir) };
}

// Reads the state of the user's repository: HEAD, uncommitted changes, ignore rules.
import fs from "node:fs";
import path from "node:path";
import { git, openGitShell } from "#system/git";
import type { Rules } from "./shadow/shadow.ts";

/** The commit checked out in the folder; undefined without a repository, or when it has no commit. */
export async function headOf(dir: string): Promise<string | undefined> {
  const { code, stdout } = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd: dir });
  return code === 0 ? stdout.trim() : undefined;
}

/** Lists uncommitted changes in the user's folder: they are not in HEAD, so a worktree does not have them. */
export async function uncommittedFiles(repository: string): Promise<string[]> {
  const answer = await git(["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules"], {
    cwd: repository,
  });
  return answer.stdout
    .split("\0")
    .filter(Boolean)
    .map((line) => line.slice(3));
}

// Prints the workspace's path in the repository, the path of info/exclude, and the files tracked although ignored.
const RULES = `git rev-parse --show-prefix --git-path info/exclude &&
git ls-files -s -z --cached --ignored --exclude-standard`;

function readLines(file: string): string[] {
  const isFile = fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile ? fs.readFileSync(file, "utf8").split(/\r?\n/) : [];
}

/**
 * Converts a rule of a parent folder to one relative to the folder `below` it; undefined when it does not apply there.
 * Rules without a slash apply at any depth, the others are matched segment by segment.
 */
function ruleBelow(line: string, below: readonly string[]): string | undefined {
  const [, not = "", rule = ""] = /^(!?)(.*)$/.exec(line) ?? [];
  if (rule === "" || rule.startsWith("#")) return undefined;
  if (!rule.slice(0, -1).includes("/") || rule.startsWith("**/")) return line;
  const segments = rule.replace(/^\//, "").split("/");
  const leads = below.every((name, index) => segments[index] === name || segments[index] === "*");
  const rest = segments.slice(below.length).join("/");
  return leads && rest !== "" ? `${not}/${rest}` : undefined;
}

function rulesFor(rules: readonly string[], below: readonly string[]): string[] {
  return below.length === 0 ? [...rules] : rules.flatMap((line) => ruleBelow(line, below) ?? []);
}

/** Skips gitlinks: the snapshot itself lists nested repositories. */
function pathsOf(entries: readonly string[]): string[] {
  const files = entries.filter((entry) => entry !== "" && !entry.startsWith("160000 "));
  return [...new Set(files.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
}

/** Reads the ignore rules once, when the run is opened, so that the agent cannot widen them. */
export async function userRules(dir: string): Promise<Required<Omit<Rules, "index">>> {
  const shell = openGitShell({ cwd: dir });
  const { code, stdout } = await shell.script(RULES).finally(shell.close);
  if (code !== 0) return { excluded: [], forced: [] };
  const [prefix = "", exclude = "", ...rest] = stdout.split("\n");
  const below = prefix.split("/").filter(Boolean);
  const above = below.map((_, index) => ({
    rules: readLines(path.join(dir, "../".repeat(below.length - index), ".gitignore")),
    below: below.slice(index),
  }));
  const all = [{ rules: readLines(path.resolve(dir, exclude)), below }, ...above];
  return {
    excluded: all.flatMap((source) => rulesFor(source.rules, source.below)),
    forced: pathsOf(rest.join("\n").split("\0")),
  };
}

// Creates git repositories of a user, and captures their files for comparison.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { write } from "./folders.ts";

const IDENTITY = [
  "user.name=test",
  "user.email=test@localhost",
  "init.defaultBranch=main",
  "protocol.file.allow=always",
];

export type Git = (...args: string[]) => string;

export function gitIn(dir: string): Git {
  const settings = IDENTITY.flatMap((setting) => ["-c", setting]);
  return (...args) =>
    execFileSync("git", [...settings, ...args], { cwd: dir, encoding: "utf8", stdio: "pipe" });
}

/** Initialises a repository in `dir` with the files in its first commit. */
export function repository(dir: string, files: Readonly<Record<string, string>>): Git {
  fs.mkdirSync(dir, { recursive: true });
  const git = gitIn(dir);
  git("init", "--quiet");
  write(dir, files);
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "start");
  return git;
}

/** Every file under `dir` with its bytes and mode, for a comparison before and after. */
export function everything(dir: string, folder = ""): Record<string, string> {
  return Object.fromEntries(
    fs.readdirSync(path.join(dir, folder), { withFileTypes: true }).flatMap((entry): [string, string][] => {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory()) return Object.entries(everything(dir, name));
      if (entry.isSymbolicLink()) return [[name, `-> ${fs.readlinkSync(path.join(dir, name))}`]];
      const file = path.join(dir, name);
      return [[name, `${fs.statSync(file).mode.toString(8)} ${fs.readFileSync(file).toString("base64")}`]];
    }),
  );
}

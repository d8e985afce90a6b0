// A clone of a repository at a fix, and the git commands that the replay needs in it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const IDENTITY = [
  "-c",
  "user.name=replay",
  "-c",
  "user.email=replay@localhost",
  "-c",
  "advice.detachedHead=false",
];

function gitIn(dir, env = {}) {
  const run = (args, encoding, input) =>
    execFileSync("git", [...IDENTITY, ...args], {
      cwd: dir,
      encoding,
      input,
      env: { ...process.env, ...env },
      maxBuffer: 2 ** 28,
      stdio: ["pipe", "pipe", "pipe"],
    });
  return {
    text: (...args) => run(args, "utf8").trim(),
    raw: (...args) => run(args, "utf8"),
    bytes: (...args) => run(args, "buffer"),
    feed: (input, ...args) => run(args, "utf8", input),
  };
}

const listed = (text) => text.split("\0").filter(Boolean);

/** Clones `repo` and checks the fix out. */
export function cloneAt(repo, commit, dir) {
  fs.mkdirSync(path.dirname(dir), { recursive: true });
  gitIn(path.dirname(dir)).text("clone", "--quiet", "--no-checkout", "--shared", repo, dir);
  const git = gitIn(dir);
  const fix = git.text("rev-parse", `${commit}^{commit}`);
  git.text("checkout", "--quiet", "-B", "replay", fix);
  const parent = git.text("rev-parse", `${fix}^1`);
  const changed = listed(git.raw("diff", "--name-only", "-z", "--no-renames", parent, fix));
  return { dir, git, fix, parent, changed };
}

/** The bytes of a file at a commit as base64, or null where it has none. */
export function contentAt({ git }, commit, file) {
  if (git.raw("ls-tree", "-z", commit, "--", file) === "") return null;
  return git.bytes("show", `${commit}:${file}`).toString("base64");
}

export const contentsAt = (clone, commit, files) =>
  Object.fromEntries(files.map((file) => [file, contentAt(clone, commit, file)]));

/** Commits the tests of the fix over its parent, without the files of `source`: the repository of somebody who has the bug. */
export function commitBase(clone, source) {
  const { git, parent, fix } = clone;
  const absent = source.filter((file) => git.raw("ls-tree", "-z", parent, "--", file) === "");
  const present = source.filter((file) => !absent.includes(file));
  if (present.length > 0) git.text("checkout", "--quiet", parent, "--", ...present);
  if (absent.length > 0) git.text("rm", "--quiet", "--force", "--", ...absent);
  const tree = git.text("write-tree");
  const base = git.text("commit-tree", tree, "-p", parent, "-m", "the tests of the fix");
  git.text("reset", "--quiet", "--hard", base);
  return { ...clone, base, fixTree: git.text("rev-parse", `${fix}^{tree}`) };
}

/** Back to the base; ignored files (packages, build output) stay. */
export function resetToBase({ git, base }) {
  git.text("checkout", "--quiet", "--force", "-B", "replay", base);
  git.text("reset", "--quiet", "--hard", base);
  git.text("clean", "--quiet", "--force", "-d");
}

/** Everything in the user's repository that a run must leave alone, as one text. */
export function userState({ git }) {
  return [
    git.raw("ls-files", "--stage"),
    git.raw("for-each-ref"),
    git.raw("rev-parse", "--symbolic-full-name", "HEAD"),
    git.raw("config", "--local", "--list"),
    git.raw("stash", "list"),
  ].join("\n");
}

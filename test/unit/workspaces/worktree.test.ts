import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "#spec/errors";
import { uncommittedFiles } from "#workspaces/user-repository";
import { makeWorktree } from "#workspaces/worktree";
import { temporary, write } from "../../support/folders.ts";
import { type Git, gitIn, repository } from "../../support/repository.ts";

function place(files?: Readonly<Record<string, string>>) {
  const root = temporary();
  const dir = path.join(root, "project");
  fs.mkdirSync(dir);
  const git: Git = files ? repository(dir, files) : gitIn(dir);
  return { root, dir, git, target: path.join(root, "state", "worktrees", "run-1") };
}

async function refusal(dir: string, target: string): Promise<string> {
  const error = await makeWorktree(dir, target).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  expect(fs.existsSync(target)).toBe(false);
  return (error as Error).message;
}

describe("a worktree", () => {
  it("contains the files of HEAD and leaves the user's folder unchanged", async () => {
    const { dir, git, target } = place({ file: "committed\n", other: "x\n" });
    write(dir, { file: "changed\n", fresh: "new\n" });
    const before = [git("status", "--porcelain"), git("rev-parse", "HEAD"), git("branch", "--all")];
    expect(await makeWorktree(dir, target)).toBe(`${target}${path.sep}`.slice(0, -1));
    expect(fs.readdirSync(target).sort()).toEqual([".git", "file", "other"]);
    expect(fs.readFileSync(path.join(target, "file"), "utf8")).toBe("committed\n");
    expect([git("status", "--porcelain"), git("rev-parse", "HEAD"), git("branch", "--all")]).toEqual(before);
    expect(gitIn(target)("rev-parse", "--abbrev-ref", "HEAD").trim()).toBe("HEAD");
  });

  it("is reused by a resumed run, with the agent's work in it", async () => {
    const { dir, target } = place({ file: "1" });
    const first = await makeWorktree(dir, target);
    write(first, { file: "2" });
    expect(await makeWorktree(dir, target)).toBe(first);
    expect(fs.readFileSync(path.join(first, "file"), "utf8")).toBe("2");
  });

  it("is opened at the same subfolder when the workspace is a subfolder of the repository", async () => {
    const { dir, target } = place({ "packages/ä b/file": "1", top: "2" });
    const inside = await makeWorktree(path.join(dir, "packages/ä b"), target);
    expect(path.relative(target, inside)).toBe("packages/ä b");
    expect(fs.readFileSync(path.join(inside, "file"), "utf8")).toBe("1");
    expect(fs.existsSync(path.join(target, "top"))).toBe(true);
  });

  it("starts from a detached HEAD as well", async () => {
    const { dir, git, target } = place({ file: "1" });
    git("checkout", "--quiet", "--detach");
    expect(fs.readdirSync(await makeWorktree(dir, target)).sort()).toEqual([".git", "file"]);
  });

  it("does not run the user's hooks, nor a file-system monitor", async () => {
    const { root, dir, git, target } = place({ file: "1" });
    const marker = path.join(root, "executed");
    const trap = `#!/bin/sh\necho "$0" >> '${marker}'\n`;
    for (const hook of ["post-checkout", "pre-commit", "reference-transaction", "post-index-change"])
      fs.writeFileSync(path.join(dir, ".git/hooks", hook), trap, { mode: 0o755 });
    git("config", "core.fsmonitor", path.join(dir, ".git/hooks/pre-commit"));
    await makeWorktree(dir, target);
    await uncommittedFiles(dir);
    expect(fs.existsSync(marker)).toBe(false);
    // Proves that the hooks work: plain git runs them.
    git("worktree", "add", "--quiet", "--detach", path.join(root, "other"));
    expect(fs.existsSync(marker)).toBe(true);
  });

  it("is refused without a repository, with a remedy", async () => {
    const { dir, target } = place();
    const message = await refusal(dir, target);
    expect(message).toContain(dir);
    expect(message).toMatch(/needs a git repository.*use "in-place", or run git init and commit/);
  });

  it("is refused without a commit, with a remedy", async () => {
    const { dir, git, target } = place();
    git("init", "--quiet");
    expect(await refusal(dir, target)).toMatch(/has no commit yet; commit first, or use "in-place"/);
  });

  it("is refused in a folder that HEAD does not have, with a remedy", async () => {
    const { dir, target } = place({ file: "1" });
    write(dir, { "fresh/file": "1" });
    const message = await refusal(path.join(dir, "fresh"), target);
    expect(message).toMatch(/HEAD has no folder fresh\/; commit it first, or use "in-place"/);
  });

  it("is refused when its target folder contains files", async () => {
    const { root, dir } = place({ "sub/file": "1" });
    const target = path.join(root, "taken");
    write(target, { file: "mine" });
    await expect(makeWorktree(path.join(dir, "sub"), target)).rejects.toThrow(/git cannot create a worktree/);
    expect(fs.readFileSync(path.join(target, "file"), "utf8")).toBe("mine");
  });
});

describe("uncommitted changes", () => {
  it("include edited, staged, deleted and new files", async () => {
    const { dir, git } = place({
      edited: "1",
      staged: "1",
      deleted: "1",
      same: "1",
      ".gitignore": "ignored\n",
    });
    write(dir, { edited: "2", staged: "2", "new ä": "1", ignored: "1" });
    git("add", "staged");
    fs.rmSync(path.join(dir, "deleted"));
    expect((await uncommittedFiles(dir)).sort()).toEqual(["deleted", "edited", "new ä", "staged"]);
  });

  it("are empty in a clean folder, and the check does not rewrite the index", async () => {
    const { dir } = place({ file: "1" });
    const index = path.join(dir, ".git/index");
    fs.utimesSync(path.join(dir, "file"), 1, 1);
    const before = fs.readFileSync(index);
    expect(await uncommittedFiles(dir)).toEqual([]);
    expect(fs.readFileSync(index).equals(before)).toBe(true);
  });
});

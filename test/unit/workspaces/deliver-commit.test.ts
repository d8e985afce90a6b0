import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bench, standing, worked } from "../../support/deliveries.ts";
import { write } from "../../support/folders.ts";
import { everything } from "../../support/repository.ts";

const START = { tracked: "1\n", goes: "1\n", other: "1\n", staged: "1\n" };

const edit = (dir: string) => {
  write(dir, { tracked: "2\n", "new/file.txt": "born\n" });
  fs.rmSync(path.join(dir, "goes"), { force: true });
};

const filesOf = (dir: string) =>
  Object.fromEntries(Object.entries(everything(dir)).filter(([name]) => !name.startsWith(".git/")));

describe("delivery as a commit in place", () => {
  it("advances the checked-out branch, leaves the files unchanged and the status clean", async () => {
    const here = bench(START);
    const { tree, deliver } = await worked(here, edit);
    const [before, start] = [filesOf(here.dir), here.git("rev-parse", "HEAD")];
    const { commit, branch, problem } = await deliver({ type: "commit" });
    expect({ branch, problem }).toEqual({ branch: "main", problem: undefined });
    expect(here.git("rev-parse", "main").trim()).toBe(commit);
    expect(here.git("rev-parse", "main^")).toBe(start);
    expect(here.git("rev-parse", "main^{tree}").trim()).toBe(tree);
    expect(here.git("status", "--porcelain")).toBe("");
    expect(filesOf(here.dir)).toEqual(before);
    expect(here.git("branch", "--list").trim()).toBe("* main");
  });

  it("leaves the user's staged changes and files outside the workspace alone", async () => {
    const here = bench({ "pkg/tracked": "1\n", "pkg/goes": "1\n", staged: "1\n", dirty: "1\n" });
    write(here.dir, { staged: "half\n" });
    here.git("add", "staged");
    write(here.dir, { staged: "whole\n", dirty: "2\n" });
    const { deliver } = await worked(here, edit, { below: "pkg" });
    await deliver({ type: "commit" });
    expect(here.git("status", "--porcelain").split("\n").filter(Boolean)).toEqual([" M dirty", "MM staged"]);
    expect(here.git("show", ":staged")).toBe("half\n");
    expect(here.git("diff", "--name-only", "HEAD^", "HEAD").trim().split("\n")).toEqual([
      "pkg/goes",
      "pkg/new/file.txt",
      "pkg/tracked",
    ]);
  });

  it("makes no new commit when the agent has committed everything", async () => {
    const here = bench(START);
    const { tree, deliver } = await worked(here, (dir) => {
      edit(dir);
      here.git("add", "--all");
      here.git("commit", "--quiet", "--message", "agent");
    });
    const before = standing(here.dir);
    const delivered = await deliver({ type: "commit" });
    expect(delivered).toEqual({ type: "commit", tree, branch: "main", commit: before.head?.trim() });
    expect(standing(here.dir)).toEqual(before);
  });

  it("is idempotent, also when the first attempt was interrupted before the index update", async () => {
    const here = bench(START);
    write(here.dir, { tracked: "mine\n", other: "mine too\n" });
    here.git("add", "tracked");
    const { deliver } = await worked(here, edit);
    const index = fs.readFileSync(path.join(here.dir, ".git/index"));
    const first = await deliver({ type: "commit" });
    fs.writeFileSync(path.join(here.dir, ".git/index"), index);
    expect(here.git("status", "--porcelain")).not.toBe("");
    expect(await deliver({ type: "commit" })).toEqual(first);
    expect(here.git("status", "--porcelain")).toBe("");
    expect(here.git("rev-list", "--count", "main").trim()).toBe("3");
  });

  it("delivers a branch instead when the user has committed meanwhile", async () => {
    const here = bench(START);
    const { tree, deliver } = await worked(here, edit);
    write(here.dir, { other: "by the user\n" });
    here.git("commit", "--quiet", "--message", "user", "other");
    const before = standing(here.dir);
    const delivered = await deliver({ type: "commit" });
    const branch = `converge/${here.run}`;
    expect(delivered).toMatchObject({ branch, tree });
    expect(delivered.problem).toBe(
      `main has moved since the run started; the work is on the branch ${branch}. Merge it with: git merge ${branch}`,
    );
    expect(standing(here.dir)).toEqual(before);
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
    expect(here.git("merge-tree", "--write-tree", "main", branch)).toMatch(/^[0-9a-f]{40}\n$/);
  });

  it("delivers a branch instead when another branch was checked out", async () => {
    const here = bench(START);
    here.git("branch", "older");
    write(here.dir, { other: "2\n" });
    here.git("commit", "--quiet", "--message", "newer", "other");
    const { deliver } = await worked(here, edit);
    here.git("checkout", "--quiet", "older");
    const delivered = await deliver({ type: "commit" });
    expect(delivered.problem).toMatch(/^older has moved since the run started; .*git merge converge\//);
    expect(here.git("rev-parse", "older")).toBe(here.git("rev-parse", "main^"));
  });

  it.each([
    ["a merge", ["merge", "--no-commit", "--no-ff", "side"]],
    ["a bisect", ["bisect", "start"]],
    ["a cherry-pick", ["cherry-pick", "conflict"]],
    ["a rebase", ["rebase", "conflict"]],
  ])("delivers a branch instead during %s", async (name, args) => {
    const here = bench(START);
    here.git("checkout", "--quiet", "-b", "conflict");
    write(here.dir, { other: "theirs\n" });
    here.git("commit", "--quiet", "--message", "theirs", "other");
    here.git("checkout", "--quiet", "-b", "side", "main");
    here.git("commit", "--quiet", "--allow-empty", "--message", "side");
    here.git("checkout", "--quiet", "main");
    write(here.dir, { other: "ours\n" });
    here.git("commit", "--quiet", "--message", "ours", "other");
    const { deliver } = await worked(here, () => {});
    try {
      here.git(...args);
    } catch {
      // Stops at a conflict, as intended.
    }
    const before = everything(path.join(here.dir, ".git/refs/heads"));
    const { problem, branch } = await deliver({ type: "commit" });
    expect(problem).toContain(`${name} is in progress in ${here.dir}; the work is on the branch ${branch}`);
    expect(everything(path.join(here.dir, ".git/refs/heads"))).toMatchObject(before);
  });

  it("commits on a detached HEAD and returns the commit without a branch", async () => {
    const here = bench(START);
    here.git("checkout", "--quiet", "--detach");
    const { tree, deliver } = await worked(here, edit);
    const delivered = await deliver({ type: "commit" });
    expect(delivered).toEqual({ type: "commit", tree, commit: here.git("rev-parse", "HEAD").trim() });
    expect(here.git("rev-parse", "HEAD^")).toBe(here.git("rev-parse", "main"));
  });

  it("reports a problem with a remedy while index.lock exists", async () => {
    const here = bench(START);
    const { deliver } = await worked(here, edit);
    write(here.dir, { ".git/index.lock": "" });
    const { commit, problem } = await deliver({ type: "commit" });
    expect(here.git("rev-parse", "main").trim()).toBe(commit);
    expect(problem).toMatch(/^the commit is made, but git cannot update the index .* with: git reset$/);
    fs.rmSync(path.join(here.dir, ".git/index.lock"));
    expect((await deliver({ type: "commit" })).problem).toBeUndefined();
    expect(here.git("status", "--porcelain")).toBe("");
    expect(here.git("rev-list", "--count", "main").trim()).toBe("2");
  });
});

describe("delivery as a commit from a worktree", () => {
  it("fast-forwards the user's branch and files, and keeps their other changes", async () => {
    const here = bench(START);
    write(here.dir, { other: "mine\n", staged: "2\n" });
    here.git("add", "staged");
    const { tree, deliver } = await worked(here, edit, { worktree: true });
    const delivered = await deliver({ type: "commit" });
    expect(delivered).toEqual({
      type: "commit",
      tree,
      branch: "main",
      commit: here.git("rev-parse", "main").trim(),
    });
    expect(here.git("rev-parse", "main^{tree}").trim()).toBe(tree);
    expect(here.git("status", "--porcelain").split("\n").filter(Boolean)).toEqual([" M other", "M  staged"]);
    expect(fs.readFileSync(path.join(here.dir, "tracked"), "utf8")).toBe("2\n");
    expect(await deliver({ type: "commit" })).toEqual(delivered);
    expect(here.git("rev-list", "--count", "main").trim()).toBe("2");
  });

  it("keeps the commits that the agent made in the worktree", async () => {
    const here = bench(START);
    const { tree, deliver } = await worked(
      here,
      (dir) => {
        edit(dir);
        here.git("-C", dir, "add", "--all");
        here.git("-C", dir, "commit", "--quiet", "--message", "agent");
        write(dir, { tracked: "3\n" });
      },
      { worktree: true },
    );
    await deliver({ type: "commit" });
    expect(here.git("log", "--format=%s").trim().split("\n")).toEqual(["Fix the thing", "agent", "start"]);
    expect(here.git("rev-parse", "main^{tree}").trim()).toBe(tree);
  });

  it("delivers a branch instead when the user's branch has moved", async () => {
    const here = bench(START);
    const { tree, deliver } = await worked(here, edit, { worktree: true });
    write(here.dir, { tracked: "in conflict\n" });
    here.git("commit", "--quiet", "--message", "user", "tracked");
    const before = [standing(here.dir), filesOf(here.dir)];
    const { problem, branch } = await deliver({ type: "commit" });
    expect(problem).toBe(
      `main has moved since the run started; the work is on the branch ${branch}. Merge it with: git merge ${branch}`,
    );
    expect([standing(here.dir), filesOf(here.dir)]).toEqual(before);
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
  });

  it("delivers a branch instead when the user's uncommitted changes conflict", async () => {
    const here = bench(START);
    const { deliver } = await worked(here, edit, { worktree: true });
    write(here.dir, { tracked: "mine, not committed\n" });
    here.git("config", "merge.autoStash", "true");
    const before = [standing(here.dir), filesOf(here.dir)];
    const { problem } = await deliver({ type: "commit" });
    expect(problem).toMatch(
      /^git cannot fast-forward main \(.*tracked.*\); the work is on the branch converge\//,
    );
    expect([standing(here.dir), filesOf(here.dir)]).toEqual(before);
  });

  it("can still deliver a branch after the worktree was removed", async () => {
    const here = bench(START);
    const { tree, dir, deliver } = await worked(here, edit, { worktree: true });
    here.git("worktree", "remove", "--force", dir);
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
  });
});

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bench, standing, worked } from "../../support/deliveries.ts";
import { write } from "../../support/folders.ts";
import { gitIn, repository } from "../../support/repository.ts";

const edit = (dir: string) => {
  write(dir, { tracked: "2\n", "new/file.txt": "born\n", "run.sh": "#!/bin/sh\n" });
  fs.rmSync(path.join(dir, "goes"), { force: true });
};

describe("a branch", () => {
  it("has exactly the judged tree upon the commit of the start; nothing else moves", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n", other: "1\n" });
    const { tree, deliver } = await worked(here, edit);
    const before = standing(here.dir);
    const delivered = await deliver({ type: "branch" });
    expect(delivered).toEqual({
      type: "branch",
      tree,
      branch: `converge/${here.run}`,
      commit: expect.any(String),
    });
    expect(here.git("rev-parse", `${delivered.branch}^{tree}`).trim()).toBe(tree);
    expect(here.git("rev-parse", `${delivered.branch}^`)).toBe(here.git("rev-parse", "main"));
    expect(here.git("log", "-1", "--format=%s", `${delivered.branch}`)).toBe("Fix the thing\n");
    expect(standing(here.dir)).toEqual(before);
    expect(here.git("fsck", "--strict")).not.toMatch(/missing|broken/);
  });

  it("is the judged files, not what became of them since", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    const { tree, deliver } = await worked(here, edit);
    write(here.dir, { tracked: "touched after the gates\n", late: "x" });
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
  });

  it("keeps every kind of file to the byte", async () => {
    const here = bench({ folder: "becomes a folder\n", "dir/file": "becomes a file\n", "linked/x": "1" });
    const { tree, deliver } = await worked(here, (dir) => {
      for (const name of ["folder", "dir", "linked"]) fs.rmSync(path.join(dir, name), { recursive: true });
      write(dir, {
        "folder/in": "1",
        dir: "1",
        "windows.txt": "a\r\nb\r\n",
        "-rf": "1",
        ":(top)*": "1",
        "日本語/ä b.txt": "1",
        'back\\slash "and" quotes': "1",
        "line\nbreak": "1",
      });
      fs.writeFileSync(
        path.join(dir, "binary"),
        Uint8Array.from({ length: 3000 }, (_, at) => at % 256),
      );
      fs.symlinkSync("folder", path.join(dir, "linked"));
    });
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
  });

  it("has the user's earlier changes as a commit of their own before the work", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n", mine: "1\n" });
    write(here.dir, { mine: "half done\n", untracked: "mine\n", tracked: "mine first\n" });
    const { base, tree, deliver } = await worked(here, edit);
    const { branch } = await deliver({ type: "branch" });
    const subjects = here.git("log", "--format=%s", "main..", `${branch}`).trim().split("\n");
    expect(subjects).toEqual(["Fix the thing", `uncommitted changes from before converge run ${here.run}`]);
    expect(here.git("rev-parse", `${branch}^{tree}`, `${branch}^^{tree}`).trim().split("\n")).toEqual([
      tree,
      base,
    ]);
    const changed = here.git("diff", "--name-only", `${branch}^`, `${branch}`).trim().split("\n");
    expect(changed).toEqual(["goes", "new/file.txt", "run.sh", "tracked"]);
  });

  it("stands upon what the agent committed itself", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n", mine: "1\n" });
    write(here.dir, { mine: "not committed\n" });
    const { tree, deliver } = await worked(here, (dir) => {
      write(dir, { tracked: "first try\n" });
      here.git("commit", "--quiet", "--message", "agent", "tracked");
      edit(dir);
    });
    const head = here.git("rev-parse", "HEAD");
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
    expect(here.git("log", "--format=%s", `${branch}`).trim().split("\n")).toEqual([
      "Fix the thing",
      `uncommitted changes from before converge run ${here.run}`,
      "agent",
      "start",
    ]);
    expect(here.git("rev-parse", "HEAD")).toBe(head);
  });

  it("never undoes what somebody else committed after the run", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n", other: "1\n" });
    const { tree, deliver } = await worked(here, edit);
    write(here.dir, { other: "by the user\n" });
    here.git("commit", "--quiet", "--message", "user", "other");
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
    expect(here.git("rev-parse", `${branch}^`)).toBe(here.git("rev-parse", "main^"));
  });

  it("done twice is one branch with one commit", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    const { deliver } = await worked(here, edit);
    const first = await deliver({ type: "branch" });
    expect(await deliver({ type: "branch" })).toEqual(first);
    expect(here.git("branch", "--list").trim().split("\n")).toHaveLength(2);
    expect(here.git("rev-list", "--count", `main..${first.branch}`).trim()).toBe("1");
  });

  it("never moves a branch of that name: ours gets a number, a name that was asked for is a problem", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    here.git("branch", `converge/${here.run}`);
    here.git("branch", "feature");
    const { tree, deliver } = await worked(here, edit);
    expect(await deliver({ type: "branch" })).toMatchObject({ branch: `converge/${here.run}-2`, tree });
    const asked = await deliver({ type: "branch", branch: "feature" });
    expect(asked).toMatchObject({ branch: `converge/${here.run}-2` });
    expect(asked.problem).toMatch(
      /^cannot create the branch feature .* the work is on the branch converge\//,
    );
    for (const name of ["feature", `converge/${here.run}`])
      expect(here.git("rev-parse", name)).toBe(here.git("rev-parse", "main"));
    expect(await deliver({ type: "branch", branch: "fresh/name" })).toMatchObject({ branch: "fresh/name" });
  });

  it("finds a name beside a branch that is called converge", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    here.git("branch", "converge");
    const { deliver } = await worked(here, edit);
    expect(await deliver({ type: "branch" })).toMatchObject({ branch: `converge-${here.run}` });
  });

  it("of a run that changed nothing is the commit it started from", async () => {
    const here = bench({ tracked: "1\n" });
    const { deliver } = await worked(here, () => {});
    const { commit } = await deliver({ type: "branch" });
    expect(commit).toBe(here.git("rev-parse", "main").trim());
  });
});

describe("what a snapshot does not have", () => {
  it("a workspace in a folder of the repository changes only that folder", async () => {
    const here = bench({ "packages/a/tracked": "1\n", "packages/b/file": "1\n", top: "1\n" });
    write(here.dir, { top: "not committed\n" });
    const { tree, deliver } = await worked(here, edit, { below: "packages/a" });
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}:packages/a`).trim()).toBe(tree);
    const changed = here.git("diff", "--name-only", "main", `${branch}`).trim().split("\n");
    expect(changed).toEqual(["packages/a/new/file.txt", "packages/a/run.sh", "packages/a/tracked"]);
  });

  it.each([{ worktree: false }, { worktree: true }])("submodules stay (%o)", async (options) => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    repository(path.join(here.root, "library"), { code: "1\n" });
    here.git("submodule", "add", "--quiet", path.join(here.root, "library"), "lib");
    here.git("commit", "--quiet", "--message", "with a submodule");
    const { deliver } = await worked(here, edit, options);
    const { branch, problem } = await deliver({ type: "branch" });
    expect(problem).toBeUndefined();
    expect(here.git("ls-tree", `${branch}`, "lib")).toBe(here.git("ls-tree", "main", "lib"));
    expect(here.git("diff", "--name-only", "main", `${branch}`).trim().split("\n")).toEqual([
      "goes",
      "new/file.txt",
      "run.sh",
      "tracked",
    ]);
  });

  it("files that became a repository of their own, and files outside a sparse checkout, are not deleted", async () => {
    const here = bench({ tracked: "1\n", "pkg/file": "1\n", "far/file": "1\n" });
    here.git("sparse-checkout", "set", "--no-cone", "/*", "!/far/");
    expect(fs.existsSync(path.join(here.dir, "far"))).toBe(false);
    const { deliver } = await worked(here, (dir) => {
      edit(dir);
      gitIn(path.join(dir, "pkg"))("init", "--quiet");
    });
    const { branch } = await deliver({ type: "branch" });
    const files = here.git("ls-tree", "-r", "--name-only", `${branch}`).trim().split("\n");
    expect(files).toEqual(["far/file", "new/file.txt", "pkg/file", "run.sh", "tracked"]);
    expect(here.git("log", "--format=%s", `${branch}`).trim().split("\n")).toEqual([
      "Fix the thing",
      "start",
    ]);
  });
});

describe("what git stores otherwise than it lies there", () => {
  it("line endings follow the repository's rules, and files nobody changed stay as they are", async () => {
    const here = bench({ ".gitattributes": "*.bat text eol=crlf\n", "a.bat": "1\n", "b.bat": "1\n" });
    for (const name of ["a.bat", "b.bat"]) fs.rmSync(path.join(here.dir, name));
    here.git("checkout", "--quiet", "--", ".");
    expect(fs.readFileSync(path.join(here.dir, "a.bat"), "utf8")).toBe("1\r\n");
    const { deliver } = await worked(here, (dir) => write(dir, { "a.bat": "1\r\n2\r\n" }));
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("log", "--format=%s", `${branch}`).trim().split("\n")).toEqual([
      "Fix the thing",
      "start",
    ]);
    expect(here.git("diff", "--name-only", "main", `${branch}`)).toBe("a.bat\n");
    expect(here.git("show", `${branch}:a.bat`)).toBe("1\n2\n");
  });

  it("a filter is not run and not bypassed: the work is kept as a patch, and the problem is told", async () => {
    const here = bench({ ".gitattributes": "*.big filter=lfs\n", "a.big": "pointer\n", tracked: "1\n" });
    const marker = path.join(here.root, "executed");
    here.git("config", "filter.lfs.clean", `sh -c 'touch ${marker}; echo pointer'`);
    const { tree, deliver } = await worked(here, (dir) =>
      write(dir, { "a.big": "real bytes\n", tracked: "2\n" }),
    );
    const before = standingRefs(here.dir);
    const delivered = await deliver({ type: "commit" });
    expect(delivered.problem).toMatch(/^the repository stores a\.big through a filter/);
    expect(delivered).toMatchObject({ type: "commit", tree, file: expect.stringMatching(/\.patch$/) });
    expect(standingRefs(here.dir)).toEqual(before);
    expect(fs.existsSync(marker)).toBe(false);
    expect(fs.readFileSync(delivered.file ?? "", "utf8")).toContain("+real bytes");
  });

  it("a filtered file that the run did not change is in nobody's way", async () => {
    const here = bench({ ".gitattributes": "*.big filter=lfs\n", "a.big": "pointer\n", tracked: "1\n" });
    write(here.dir, { "a.big": "what the filter made of it\n" });
    const { deliver } = await worked(here, (dir) => write(dir, { tracked: "2\n" }));
    const { branch, problem } = await deliver({ type: "branch" });
    expect(problem).toBeUndefined();
    expect(here.git("diff", "--name-only", "main", `${branch}`)).toBe("tracked\n");
  });
});

const standingRefs = (dir: string) =>
  execFileSync("git", ["show-ref", "--head"], { cwd: dir, encoding: "utf8" });

describe("words", () => {
  it("of a prompt or a gate are plain text: no escape codes, no trailers, no options, bounded", async () => {
    const here = bench({ tracked: "1\n" });
    const { deliver } = await worked(here, (dir) => write(dir, { tracked: "2\n" }));
    const message = "--amend \u001b[31mred\u001b[0m\u202e title";
    const body = `${"x".repeat(50_000)}\n\nSigned-off-by: Somebody <else@localhost>`;
    const { branch } = await deliver({ type: "branch" }, { message, body });
    const text = here.git("log", "-1", "--format=%B", `${branch}`);
    expect(text.split("\n")[0]).toBe("--amend red title");
    expect(text.length).toBeLessThan(20_000);
    expect(here.git("log", "-1", "--format=%(trailers)", `${branch}`).trim()).toBe("");
    const trailer = await deliver(
      { type: "branch", branch: "other" },
      { body: "Signed-off-by: Somebody <else@localhost>" },
    );
    expect(here.git("log", "-1", "--format=%(trailers)", `${trailer.branch}`).trim()).toBe("");
  });

  it("are the user's own when given, and the author is who git knows", async () => {
    const here = bench({ tracked: "1\n" });
    here.git("config", "user.name", "Jo Doe");
    here.git("config", "user.email", "jo@localhost");
    const { deliver } = await worked(here, (dir) => write(dir, { tracked: "2\n" }));
    const { branch } = await deliver({ type: "branch", message: "fix: two\n\nBecause one was wrong." });
    const [author, subject, , paragraph] = here
      .git("log", "-1", "--format=%an <%ae>%n%B", `${branch}`)
      .split("\n");
    expect([author, subject, paragraph]).toEqual([
      "Jo Doe <jo@localhost>",
      "fix: two",
      "Because one was wrong.",
    ]);
  });
});

describe("nothing of the user's repository is run", () => {
  it("neither hooks nor what its config names, and core.worktree leads nowhere", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    const marker = path.join(here.root, "executed");
    const trap = path.join(here.root, "trap.sh");
    fs.writeFileSync(trap, `#!/bin/sh\necho "$0" >> '${marker}'\n`, { mode: 0o755 });
    const hooks = [
      "pre-commit",
      "post-commit",
      "reference-transaction",
      "post-index-change",
      "post-merge",
      "commit-msg",
    ];
    for (const hook of hooks) fs.copyFileSync(trap, path.join(here.dir, ".git/hooks", hook));
    for (const key of ["core.fsmonitor", "core.editor", "gpg.program", "diff.external", "core.pager"])
      here.git("config", key, trap);
    here.git("config", "commit.gpgSign", "true");
    const { tree, deliver } = await worked(here, edit);
    const victim = path.join(here.root, "victim");
    write(victim, { precious: "x" });
    here.git("config", "core.worktree", victim);
    fs.rmSync(marker, { force: true });
    const { branch } = await deliver({ type: "branch" });
    const committed = await deliver({ type: "commit" });
    expect(committed.problem).toBeUndefined();
    expect(fs.existsSync(marker)).toBe(false);
    expect(fs.readdirSync(victim)).toEqual(["precious"]);
    // The traps are real: git itself falls into them.
    here.git("config", "--unset", "core.worktree");
    here.git("branch", "trapped");
    expect(fs.existsSync(marker)).toBe(true);
    expect(here.git("rev-parse", `${branch}^{tree}`, "main^{tree}").trim()).toBe(`${tree}\n${tree}`);
  });
});

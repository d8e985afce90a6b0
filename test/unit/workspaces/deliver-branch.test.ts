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

describe("delivery as a branch", () => {
  it("commits exactly the judged tree on the starting commit and changes nothing else", async () => {
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

  it("contains the judged files, not later edits", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    const { tree, deliver } = await worked(here, edit);
    write(here.dir, { tracked: "touched after the gates\n", late: "x" });
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
  });

  it("preserves every kind of file byte for byte", async () => {
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

  it("puts the user's uncommitted changes into a separate commit before the work", async () => {
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

  it("builds on the commits that the agent made", async () => {
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

  it("starts before commits that the user made after the run, so that it never reverts them", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n", other: "1\n" });
    const { tree, deliver } = await worked(here, edit);
    write(here.dir, { other: "by the user\n" });
    here.git("commit", "--quiet", "--message", "user", "other");
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}^{tree}`).trim()).toBe(tree);
    expect(here.git("rev-parse", `${branch}^`)).toBe(here.git("rev-parse", "main^"));
  });

  it("is idempotent: a second delivery adds no branch and no commit", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    const { deliver } = await worked(here, edit);
    const first = await deliver({ type: "branch" });
    expect(await deliver({ type: "branch" })).toEqual(first);
    expect(here.git("branch", "--list").trim().split("\n")).toHaveLength(2);
    expect(here.git("rev-list", "--count", `main..${first.branch}`).trim()).toBe("1");
  });

  it("never moves an existing branch: numbers the default name, reports a problem for a requested name", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    here.git("branch", `converge/${here.run}`);
    here.git("branch", "feature");
    const { tree, deliver } = await worked(here, edit);
    expect(await deliver({ type: "branch" })).toMatchObject({ branch: `converge/${here.run}-2`, tree });
    const requested = await deliver({ type: "branch", branch: "feature" });
    expect(requested).toMatchObject({ branch: `converge/${here.run}-2` });
    expect(requested.problem).toMatch(
      /^cannot create the branch feature .* the work is on the branch converge\//,
    );
    for (const name of ["feature", `converge/${here.run}`])
      expect(here.git("rev-parse", name)).toBe(here.git("rev-parse", "main"));
    expect(await deliver({ type: "branch", branch: "fresh/name" })).toMatchObject({ branch: "fresh/name" });
  });

  it("avoids a ref conflict with a branch named converge", async () => {
    const here = bench({ tracked: "1\n", goes: "1\n" });
    here.git("branch", "converge");
    const { deliver } = await worked(here, edit);
    expect(await deliver({ type: "branch" })).toMatchObject({ branch: `converge-${here.run}` });
  });

  it("points to the starting commit when the run changed nothing", async () => {
    const here = bench({ tracked: "1\n" });
    const { deliver } = await worked(here, () => {});
    const { commit } = await deliver({ type: "branch" });
    expect(commit).toBe(here.git("rev-parse", "main").trim());
  });
});

describe("files outside the snapshot", () => {
  it("stay unchanged when the workspace is a subfolder of the repository", async () => {
    const here = bench({ "packages/a/tracked": "1\n", "packages/b/file": "1\n", top: "1\n" });
    write(here.dir, { top: "not committed\n" });
    const { tree, deliver } = await worked(here, edit, { below: "packages/a" });
    const { branch } = await deliver({ type: "branch" });
    expect(here.git("rev-parse", `${branch}:packages/a`).trim()).toBe(tree);
    const changed = here.git("diff", "--name-only", "main", `${branch}`).trim().split("\n");
    expect(changed).toEqual(["packages/a/new/file.txt", "packages/a/run.sh", "packages/a/tracked"]);
  });

  it.each([{ worktree: false }, { worktree: true }])(
    "stay unchanged when they are submodules (%o)",
    async (options) => {
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
    },
  );

  it("are not deleted when they became a nested repository or are outside a sparse checkout", async () => {
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

describe("files that git converts", () => {
  it("follow the repository's line-ending rules, and unchanged files are not committed", async () => {
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

  it("are delivered as a patch with a problem when they have a filter, which is never run", async () => {
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

  it("do not block the delivery when the run did not change them", async () => {
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

describe("the commit message", () => {
  it("is plain text of bounded length, without escape codes, trailers or options from prompts and gates", async () => {
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

  it("is the user's text when given, with the author from the git config", async () => {
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

describe("a delivery into a hostile repository", () => {
  it("runs no hooks or configured programs, and ignores core.worktree", async () => {
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
    // Proves that the traps work: plain git triggers them.
    here.git("config", "--unset", "core.worktree");
    here.git("branch", "trapped");
    expect(fs.existsSync(marker)).toBe(true);
    expect(here.git("rev-parse", `${branch}^{tree}`, "main^{tree}").trim()).toBe(`${tree}\n${tree}`);
  });
});

import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { inPlace } from "#workspaces/in-place";
import { temporary, write } from "../../support/folders.ts";
import { everything, type Git, gitIn, repository } from "../../support/repository.ts";

interface Place {
  readonly root: string;
  readonly dir: string;
  readonly git: Git;
  readonly open: (dir?: string) => ReturnType<typeof inPlace>;
}

function place(files: Readonly<Record<string, string>>): Place {
  const root = temporary();
  const dir = path.join(root, "project");
  const git = repository(dir, files);
  const open = (at = dir) =>
    inPlace({ dir: at, shadowDir: path.join(root, "state", "shadow.git"), exclude: [] });
  return { root, dir, git, open };
}

/** Takes snapshots, diffs and restores them: everything that a run does to the files. */
async function useWorkspace({ dir, open }: Place): Promise<void> {
  const workspace = await open();
  const first = await workspace.snapshot();
  write(dir, { tracked: "changed by the agent\n", fresh: "new\n" });
  const second = await workspace.snapshot(first.tree);
  expect(second.changeCount).toBe(2);
  await workspace.diff(first.tree, second.tree);
  await workspace.restore(first.tree);
  await workspace.restore(second.tree);
}

describe("the user's repository", () => {
  it("stays byte for byte unchanged: index, HEAD, branches, stash and config", async () => {
    const here = place({ tracked: "1\n", other: "1\n" });
    write(here.dir, { tracked: "stashed\n" });
    here.git("stash", "--quiet");
    here.git("branch", "feature");
    write(here.dir, { other: "staged\n" });
    here.git("add", "other");
    write(here.dir, { other: "and changed again\n" });
    const before = everything(path.join(here.dir, ".git"));
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(["index", "HEAD", "refs/stash", "refs/heads/feature"]),
    );
    await useWorkspace(here);
    expect(everything(path.join(here.dir, ".git"))).toEqual(before);
  });

  it("cannot make a snapshot run programs from its config, hooks or attributes", async () => {
    const here = place({ tracked: "1\n", ".gitattributes": "* filter=planted diff=planted merge=planted\n" });
    const marker = path.join(here.root, "executed");
    const trap = path.join(here.root, "trap.sh");
    fs.writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`, { mode: 0o755 });
    const planted = {
      "core.fsmonitor": trap,
      "core.hooksPath": path.join(here.dir, ".git/hooks"),
      "core.editor": trap,
      "core.pager": trap,
      "core.sshCommand": trap,
      "core.askPass": trap,
      "credential.helper": trap,
      "diff.external": trap,
      "diff.planted.textconv": trap,
      "diff.planted.command": trap,
      "filter.planted.clean": trap,
      "filter.planted.smudge": trap,
      "filter.planted.process": trap,
      "filter.planted.required": "true",
      "merge.planted.driver": trap,
      "alias.add": `!${trap}`,
      "alias.write-tree": `!${trap}`,
      "gpg.program": trap,
    };
    for (const [key, value] of Object.entries(planted)) here.git("config", key, value);
    const hooks = [
      "pre-commit",
      "post-checkout",
      "post-index-change",
      "fsmonitor-watchman",
      "reference-transaction",
    ];
    for (const hook of hooks) fs.copyFileSync(trap, path.join(here.dir, ".git/hooks", hook));
    await useWorkspace(here);
    expect(fs.existsSync(marker)).toBe(false);
    // Proves that the trap works: plain git triggers it.
    write(here.dir, { tracked: "2\n" });
    try {
      here.git("add", "tracked");
    } catch {
      // The planted filter does not speak git's filter protocol.
    }
    expect(fs.existsSync(marker)).toBe(true);
  });

  it("cannot make a snapshot run programs from the config of a nested repository", async () => {
    const here = place({ tracked: "1\n" });
    const marker = path.join(here.root, "executed");
    const trap = path.join(here.root, "trap.sh");
    fs.writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`, { mode: 0o755 });
    const nested = repository(path.join(here.dir, "nested"), {
      file: "1\n",
      ".gitattributes": "* filter=planted\n",
    });
    for (const key of ["filter.planted.clean", "filter.planted.smudge", "core.fsmonitor"])
      nested("config", key, trap);
    write(here.dir, { "nested/file": "2\n" });
    await useWorkspace(here);
    expect(fs.existsSync(marker)).toBe(false);
  });

  it.each(["--skip-worktree", "--assume-unchanged"])("cannot hide an edit with %s", async (flag) => {
    const here = place({ tracked: "1\n" });
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    here.git("update-index", flag, "tracked");
    write(here.dir, { tracked: "tampered\n" });
    expect((await workspace.snapshot(tree)).changes).toEqual([{ path: "tracked", kind: "changed" }]);
    await workspace.restore(tree);
    expect(fs.readFileSync(path.join(here.dir, "tracked"), "utf8")).toBe("1\n");
  });

  it("cannot poison a restore with git replace", async () => {
    const here = place({ tracked: "honest\n" });
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    write(here.dir, { poison: "poisoned\n" });
    const [honest, poison] = ["tracked", "poison"].map((name) => here.git("hash-object", "-w", name).trim());
    here.git("replace", honest ?? "", poison ?? "");
    write(here.dir, { tracked: "changed\n" });
    await workspace.restore(tree);
    expect(fs.readFileSync(path.join(here.dir, "tracked"), "utf8")).toBe("honest\n");
  });

  it("cannot redirect snapshots and restores with core.worktree", async () => {
    const here = place({ tracked: "1\n" });
    const victim = path.join(here.root, "victim");
    write(victim, { precious: "x" });
    here.git("config", "core.worktree", victim);
    await useWorkspace(here);
    expect(everything(victim)).toEqual({ precious: expect.any(String) });
  });

  it("can be deleted by the agent, and its files can still be restored", async () => {
    const here = place({ tracked: "1\n" });
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    for (const name of fs.readdirSync(here.dir)) fs.rmSync(path.join(here.dir, name), { recursive: true });
    const gone = await workspace.snapshot(tree);
    expect(gone.changes).toEqual([{ path: "tracked", kind: "deleted" }]);
    await workspace.restore(tree);
    expect(fs.readFileSync(path.join(here.dir, "tracked"), "utf8")).toBe("1\n");
  });
});

describe("ignore rules of the user's repository", () => {
  const tracked = (changes: readonly { path: string }[]) => changes.map((change) => change.path).sort();

  it("do not exclude ignored files that git tracks", async () => {
    const here = place({ ".gitignore": "dist/\n*.env\n", file: "1" });
    write(here.dir, {
      "dist/kept.js": "1",
      "dist/[x].js": "1",
      "dist/junk.js": "1",
      "test.env": "1",
      "secret.env": "1",
    });
    here.git("add", "--force", "dist/kept.js", ":(literal)dist/[x].js", "test.env");
    const workspace = await here.open();
    const first = await workspace.snapshot();
    expect(tracked(first.changes)).toEqual([".gitignore", "dist/[x].js", "dist/kept.js", "file", "test.env"]);
    write(here.dir, { "dist/kept.js": "2", "dist/junk.js": "2" });
    fs.rmSync(path.join(here.dir, "test.env"));
    const second = await workspace.snapshot(first.tree);
    expect(tracked(second.changes)).toEqual(["dist/kept.js", "test.env"]);
    write(here.dir, { "test.env": "3" });
    expect(tracked((await workspace.snapshot(second.tree)).changes)).toEqual(["test.env"]);
    await workspace.restore(first.tree);
    const read = (name: string) => fs.readFileSync(path.join(here.dir, name), "utf8");
    expect([read("dist/kept.js"), read("test.env"), read("dist/junk.js")]).toEqual(["1", "1", "2"]);
  });

  it("do not follow a symlink that replaced a folder with tracked files", async () => {
    const here = place({ ".gitignore": "dist/\n", file: "1" });
    write(here.dir, { "dist/kept.js": "1" });
    here.git("add", "--force", "dist/kept.js");
    const workspace = await here.open();
    const first = await workspace.snapshot();
    write(here.root, { "outside/kept.js": "not mine" });
    fs.rmSync(path.join(here.dir, "dist"), { recursive: true });
    fs.symlinkSync(path.join(here.root, "outside"), path.join(here.dir, "dist"));
    const { changes } = await workspace.snapshot(first.tree);
    expect(changes).toContainEqual({ path: "dist/kept.js", kind: "deleted" });
    await workspace.restore(first.tree);
    expect(fs.readFileSync(path.join(here.dir, "dist/kept.js"), "utf8")).toBe("1");
    expect(fs.readFileSync(path.join(here.root, "outside/kept.js"), "utf8")).toBe("not mine");
  });

  it("include .git/info/exclude", async () => {
    const here = place({ file: "1" });
    write(here.dir, { ".git/info/exclude": "# mine\n/notes\n", notes: "private" });
    const { changes } = await (await here.open()).snapshot();
    expect(tracked(changes)).toEqual(["file"]);
  });

  it("apply in a subfolder, relative to that subfolder", async () => {
    const rules = [
      "# comment",
      "node_modules/",
      "*.log",
      "/packages/a/out",
      "packages/*/cache/",
      "/out",
      "**/deep/x",
      "!keep.log",
    ];
    const here = place({
      ".gitignore": `${rules.join("\n")}\n`,
      "packages/.gitignore": "/a/tmp\n",
      "packages/a/file": "1",
    });
    write(here.dir, { ".git/info/exclude": "/packages/a/mine\n" });
    const dir = path.join(here.dir, "packages/a");
    const ignored = ["node_modules/x", "a.log", "out/x", "cache/x", "deep/x", "tmp/x", "mine"];
    const kept = ["file", "keep.log", "src/out", "src/tmp"];
    write(dir, Object.fromEntries([...ignored, ...kept].map((name) => [name, "1"])));
    const { changes } = await (await here.open(dir)).snapshot();
    expect(tracked(changes)).toEqual([...kept].sort());
  });

  it("apply in a linked worktree", async () => {
    const here = place({ file: "1" });
    write(here.dir, { ".git/info/exclude": "/notes\n" });
    const linked = path.join(here.root, "linked");
    here.git("worktree", "add", "--quiet", "--detach", linked);
    write(linked, { notes: "private" });
    const { changes } = await (await here.open(linked)).snapshot();
    expect(tracked(changes)).toEqual(["file"]);
    expect(gitIn(linked)("status", "--porcelain")).toBe("");
  });
});

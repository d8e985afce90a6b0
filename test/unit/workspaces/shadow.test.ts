import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Workspace } from "#spec/workspace";
import { inPlace } from "#workspaces/in-place";
import { openShadow } from "#workspaces/shadow/shadow";
import { temporary, write } from "../../support/folders.ts";
import { gitIn, repository } from "../../support/repository.ts";
import { waitFor } from "../../support/wait.ts";

const BUILT = fileURLToPath(new URL("../../../dist/workspaces/in-place.js", import.meta.url));

interface Place {
  readonly dir: string;
  readonly shadowDir: string;
  readonly read: (name: string) => string;
  open(): Promise<Workspace>;
}

function place(files: Readonly<Record<string, string>> = {}): Place {
  const root = temporary();
  const dir = path.join(root, "project");
  const shadowDir = path.join(root, "state", "shadow.git");
  fs.mkdirSync(dir);
  write(dir, files);
  return {
    dir,
    shadowDir,
    read: (name) => fs.readFileSync(path.join(dir, name), "utf8"),
    open: () => inPlace({ dir, shadowDir, exclude: [] }),
  };
}

/** Paths of all files in the tree. */
function filesOf({ shadowDir }: Place, tree: string): string[] {
  const listed = execFileSync("git", ["--git-dir", shadowDir, "ls-tree", "-r", "-z", "--name-only", tree]);
  return listed.toString().split("\0").filter(Boolean);
}

const nestedLine = (name: string) => `${name}: a nested git repository, not captured`;

describe("nested repositories", () => {
  it("are reported as omitted and not captured, with or without a commit", async () => {
    const here = place({ file: "x" });
    repository(path.join(here.dir, "born"), { inside: "y" });
    gitIn(here.dir)("init", "--quiet", "unborn");
    write(here.dir, { "unborn/inside": "z" });
    const workspace = await here.open();
    const { tree, omitted } = await workspace.snapshot();
    expect([...omitted].sort()).toEqual([nestedLine("born"), nestedLine("unborn")]);
    expect(filesOf(here, tree)).toEqual(["file"]);
    expect(await workspace.snapshot(tree)).toMatchObject({
      tree,
      changeCount: 0,
      omitted: expect.arrayContaining([nestedLine("born")]),
    });
  });

  it("are reported as omitted and not captured when they are submodules", async () => {
    const here = place();
    const library = path.join(path.dirname(here.dir), "library");
    repository(library, { code: "x" });
    const git = repository(here.dir, { file: "x" });
    git("submodule", "--quiet", "add", library, "vendor/library");
    const before = here.read(".gitmodules");
    const { tree, omitted } = await (await here.open()).snapshot();
    expect(omitted).toEqual([nestedLine("vendor/library")]);
    expect(filesOf(here, tree)).toEqual([".gitmodules", "file"]);
    expect(here.read(".gitmodules")).toBe(before);
    expect(here.read("vendor/library/code")).toBe("x");
  });

  it("are found regardless of their names and of .gitignore", async () => {
    const here = place({ ".gitignore": "*\n!*\n!*/\n!/a nested one\n", file: "x" });
    const names = ["a nested one", "*", ":(top)", "-rf", "ä'\"", "deep/er/one"];
    for (const name of names) repository(path.join(here.dir, name), { inside: "y" });
    const { tree, omitted } = await (await here.open()).snapshot();
    expect([...omitted].sort()).toEqual(names.map(nestedLine).sort());
    expect(filesOf(here, tree)).toEqual([".gitignore", "file"]);
  });

  it("survive a restore, and are captured after their .git folder was deleted", async () => {
    const here = place({ file: "1" });
    repository(path.join(here.dir, "nested"), { inside: "y" });
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    write(here.dir, { file: "2", "nested/more": "z" });
    await workspace.restore(tree);
    expect([here.read("file"), here.read("nested/inside"), here.read("nested/more")]).toEqual([
      "1",
      "y",
      "z",
    ]);
    fs.rmSync(path.join(here.dir, "nested/.git"), { recursive: true });
    const later = await workspace.snapshot();
    expect(later.omitted).toEqual([]);
    expect(filesOf(here, later.tree)).toEqual(["file", "nested/inside", "nested/more"]);
  });

  it("are removed from the index when a killed process left one in it", async () => {
    const here = place({ file: "x" });
    await (await here.open()).snapshot();
    repository(path.join(here.dir, "nested"), { inside: "y" });
    execFileSync("git", ["--git-dir", here.shadowDir, "--work-tree", here.dir, "add", "nested"], {
      stdio: "pipe",
    });
    const { tree, omitted } = await (await here.open()).snapshot();
    expect(omitted).toEqual([nestedLine("nested")]);
    expect(filesOf(here, tree)).toEqual(["file"]);
  });
});

describe("git attributes in the workspace", () => {
  const bytes = "one\r\ntwo\n$Id$\n";
  const attributes = [
    "* text eol=lf ident",
    "* text=auto eol=crlf filter=planted diff=planted merge=planted",
    "* working-tree-encoding=UTF-16",
    "[attr]planted text eol=lf ident\n* planted",
    "* -text",
  ];

  it.each(attributes)("do not change file content: %j", async (line) => {
    const here = place({ ".gitattributes": `${line}\n`, file: bytes });
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    write(here.dir, { file: "gone" });
    await workspace.restore(tree);
    expect(here.read("file")).toBe(bytes);
    expect(
      execFileSync("git", ["--git-dir", here.shadowDir, "cat-file", "blob", `${tree}:file`]).toString(),
    ).toBe(bytes);
  });

  it("do not change the hash of a file", async () => {
    const trees = await Promise.all(
      ["* -text\n", "* text eol=lf\n"].map(async (line) => {
        const here = place({ "deep/.gitattributes": line, "deep/file": bytes });
        const { tree } = await (await here.open()).snapshot();
        return execFileSync("git", [
          "--git-dir",
          here.shadowDir,
          "rev-parse",
          `${tree}:deep/file`,
        ]).toString();
      }),
    );
    expect(trees[0]).toBe(trees[1]);
  });
});

describe("a snapshot with unreadable or missing files", () => {
  it("reports a file that became a FIFO as omitted, and does not block on it", async () => {
    const here = place({ tracked: "x", file: "y" });
    const workspace = await here.open();
    await workspace.snapshot();
    fs.rmSync(path.join(here.dir, "tracked"));
    execFileSync("mkfifo", [path.join(here.dir, "tracked"), path.join(here.dir, "new")]);
    const { omitted } = await workspace.snapshot();
    expect(omitted).toEqual(["tracked: can only add regular files, symbolic links"]);
  });

  it("reports files and folders without read permission as omitted", () => {
    const here = place({ open: "x", closed: "y", "folder/inside": "z" });
    fs.mkdirSync(path.dirname(here.shadowDir));
    fs.chmodSync(path.join(here.dir, "closed"), 0o000);
    fs.chmodSync(path.join(here.dir, "folder"), 0o000);
    const script = `
      const { inPlace } = await import(process.argv[1]);
      const workspace = await inPlace({ dir: process.argv[2], shadowDir: process.argv[3], exclude: [] });
      console.log(JSON.stringify((await workspace.snapshot()).omitted));`;
    const args = ["--input-type=module", "-e", script, BUILT, here.dir, here.shadowDir];
    // Root can read everything, so the snapshot runs as nobody.
    const root = path.dirname(here.dir);
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    if (nobody.uid) {
      fs.chmodSync(root, 0o777);
      fs.chmodSync(path.dirname(here.shadowDir), 0o777);
    }
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", ...nobody });
    fs.chmodSync(path.join(here.dir, "folder"), 0o755);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).sort()).toEqual(["closed: Permission denied", "folder: Permission denied"]);
  });

  it("fails when a file cannot be stored, instead of returning a tree without it", async () => {
    const here = place({ file: "1" });
    const workspace = await here.open();
    await workspace.snapshot();
    write(here.dir, { fresh: "this cannot be stored" });
    const id = execFileSync("git", ["hash-object", path.join(here.dir, "fresh")])
      .toString()
      .trim();
    const folder = path.join(here.shadowDir, "objects", id.slice(0, 2));
    fs.rmSync(folder, { recursive: true, force: true });
    fs.writeFileSync(folder, "in the way");
    await expect(workspace.snapshot()).rejects.toThrow(
      /snapshot of .* failed: .*unable to write file .* Not a directory/,
    );
    fs.rmSync(folder);
    expect(filesOf(here, (await workspace.snapshot()).tree)).toEqual(["file", "fresh"]);
  });

  it("fails when the workspace was deleted", async () => {
    const here = place();
    const workspace = await here.open();
    fs.rmSync(here.dir, { recursive: true });
    await expect(workspace.snapshot()).rejects.toThrow(`the workspace ${here.dir} no longer exists`);
  });
});

describe("the shadow repository", () => {
  it("detects an edit that keeps size and mtime", async () => {
    const here = place({ file: "aaaa" });
    const file = path.join(here.dir, "file");
    fs.utimesSync(file, 1_500_000_000, 1_500_000_000);
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    // A program cannot set the ctime. Git compares it in whole seconds.
    const second = Math.floor(fs.statSync(file).ctimeMs / 1_000);
    await waitFor(() => Date.now() > (second + 1) * 1_000 + 50);
    write(here.dir, { file: "bbbb" });
    fs.utimesSync(file, 1_500_000_000, 1_500_000_000);
    expect((await workspace.snapshot(tree)).changes).toEqual([{ path: "file", kind: "changed" }]);
  });

  it("recovers from an index.lock that a killed git left behind", async () => {
    const here = place({ file: "1" });
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    fs.writeFileSync(path.join(here.shadowDir, "index.lock"), "");
    write(here.dir, { file: "2" });
    expect((await workspace.snapshot(tree)).changeCount).toBe(1);
    fs.writeFileSync(path.join(here.shadowDir, "index.lock"), "");
    await workspace.restore(tree);
    expect(here.read("file")).toBe("1");
    fs.writeFileSync(path.join(here.shadowDir, "index.lock"), "");
    expect((await (await here.open()).snapshot()).tree).toBe(tree);
  });

  it("rebuilds a damaged index", async () => {
    const here = place({ file: "1" });
    const workspace = await here.open();
    const { tree } = await workspace.snapshot();
    fs.writeFileSync(path.join(here.shadowDir, "index"), "this is not an index");
    expect((await workspace.snapshot()).tree).toBe(tree);
    fs.writeFileSync(path.join(here.shadowDir, "index"), "this is not an index");
    expect((await (await here.open()).snapshot()).tree).toBe(tree);
  });

  it("is a private folder outside the workspace", async () => {
    const here = place({ file: "1" });
    await (await here.open()).snapshot();
    expect(fs.statSync(here.shadowDir).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(here.dir)).toEqual(["file"]);
  });

  it("keeps its trees when it is opened again without the ignore rules", async () => {
    const here = place({ ".gitignore": "*.log\n", file: "1" });
    const { tree } = await (await here.open()).snapshot();
    write(here.dir, { file: "2", "debug.log": "kept" });
    const later = openShadow(here.shadowDir, here.dir);
    expect(await later.diff(tree, (await later.snapshot()).tree)).toMatch(/-1[\s\S]*\+2/);
    await later.restore(tree);
    expect([here.read("file"), here.read("debug.log")]).toEqual(["1", "kept"]);
  });

  it("refuses to restore an unknown tree", async () => {
    const workspace = await place({ file: "1" }).open();
    await expect(workspace.restore("0123456789012345678901234567890123456789")).rejects.toThrow(
      /restore failed/,
    );
  });

  it("shows non-ASCII file names unescaped in a diff", async () => {
    const here = place();
    const workspace = await here.open();
    const from = await workspace.snapshot();
    write(here.dir, { "日本 ä.txt": "x\n" });
    const to = await workspace.snapshot();
    expect(await workspace.diff(from.tree, to.tree)).toContain("+++ b/日本 ä.txt");
  });
});

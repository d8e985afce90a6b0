// Conformance suite for workspaces. Runs with any test runner that has describe, it and expect.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Workspace } from "#spec/workspace";
import type { TestApi } from "./api.ts";
import { clear, contents, type Files, write } from "./files.ts";
import { testProtectedPaths, type WorkspaceTests } from "./protected-paths.ts";

/** Files that a naive copy gets wrong. */
const AWKWARD: Files = {
  "plain.txt": { bytes: "one\ntwo\n" },
  "windows.txt": { bytes: "one\r\ntwo\r\nno end" },
  "binary.bin": { bytes: Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 256) },
  "utf16.txt": { bytes: Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x0a, 0) },
  empty: { bytes: "" },
  "run.sh": { bytes: "#!/bin/sh\n", executable: true },
  "with space.txt": { bytes: "x" },
  "-rf": { bytes: "x" },
  "--": { bytes: "x" },
  ":(top)*": { bytes: "x" },
  "日本語/ä🦊.txt": { bytes: "x" },
  "back\\slash 'and\" quotes": { bytes: "x" },
  "a/b/c/d/deep.txt": { bytes: "x" },
  ".hidden/.file": { bytes: "x" },
  link: { link: "plain.txt" },
  dangling: { link: "no/such/file" },
  ".gitattributes": {
    bytes: "* text=auto eol=crlf ident\n*.bin filter=none\nutf16.txt working-tree-encoding=UTF-16LE\n",
  },
};

/** Trees of the files. */
function testSnapshots({ test, expect }: WorkspaceTests): void {
  test("gives equal files equal trees, and different files different ones", async (workspace, dir) => {
    const empty = await workspace.snapshot();
    write(dir, AWKWARD);
    const first = await workspace.snapshot();
    clear(dir);
    expect((await workspace.snapshot()).tree).toEqual(empty.tree);
    write(dir, AWKWARD);
    expect((await workspace.snapshot()).tree).toEqual(first.tree);
    const edits: Files[] = [
      { "windows.txt": { bytes: "one\ntwo\nno end" } },
      { "run.sh": { bytes: "#!/bin/sh\n" } },
      { link: { link: "empty" } },
      { empty: { bytes: "\n" } },
      { "new empty": { bytes: "" } },
    ];
    const trees = new Set([empty.tree, first.tree]);
    for (const edit of edits) {
      write(dir, edit);
      trees.add((await workspace.snapshot()).tree);
    }
    expect(trees.size).toEqual(2 + edits.length);
  });

  test("changes no files when it takes a snapshot", async (workspace, dir) => {
    write(dir, AWKWARD);
    const before = contents(dir);
    await workspace.snapshot();
    expect(contents(dir)).toEqual(before);
  });

  test("detects an immediate edit that keeps the size", async (workspace, dir) => {
    for (const [before, after] of ["ab", "bc", "cd"]) {
      fs.writeFileSync(path.join(dir, "file"), String(before));
      const { tree } = await workspace.snapshot();
      fs.writeFileSync(path.join(dir, "file"), String(after));
      expect((await workspace.snapshot(tree)).changes).toEqual([{ path: "file", kind: "changed" }]);
    }
  });
}

/** Changes between trees. */
function testChanges({ test, expect }: WorkspaceTests): void {
  test("lists changes since a tree", async (workspace, dir) => {
    write(dir, { stays: { bytes: "1" }, goes: { bytes: "2" }, turns: { bytes: "3" } });
    const { tree } = await workspace.snapshot();
    expect(await workspace.snapshot(tree)).toEqual({
      tree,
      changes: [],
      changeCount: 0,
      changedLines: 0,
      omitted: [],
    });
    fs.rmSync(path.join(dir, "goes"));
    write(dir, { turns: { bytes: "4" }, "日本/come s": { bytes: "5" } });
    const { changes, changeCount, changedLines } = await workspace.snapshot(tree);
    const byPath = [...changes].sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(byPath).toEqual([
      { path: "goes", kind: "deleted" },
      { path: "turns", kind: "changed" },
      { path: "日本/come s", kind: "added" },
    ]);
    expect({ changeCount, changedLines }).toEqual({ changeCount: 3, changedLines: 4 });
  });

  test("counts lines that differ from the base of the run, whatever happened in between", async (workspace, dir) => {
    write(dir, { file: { bytes: "1\n2\n" } });
    const { tree: base } = await workspace.snapshot();
    write(dir, { file: { bytes: "1\n2\n3\n4\n" } });
    const more = await workspace.snapshot(base, base);
    expect(more.linesFromBase).toEqual(2);
    write(dir, { file: { bytes: "1\n2\n3\n" } });
    const { changedLines, linesFromBase } = await workspace.snapshot(more.tree, base);
    expect({ changedLines, linesFromBase }).toEqual({ changedLines: 1, linesFromBase: 1 });
  });

  test("counts every change and lists a limited number", async (workspace, dir) => {
    const { tree } = await workspace.snapshot();
    write(dir, Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`many/${index}`, {}])));
    const { changes, changeCount } = await workspace.snapshot(tree);
    expect(changeCount).toEqual(300);
    expect(changes.length > 0 && changes.length < 300).toEqual(true);
  });

  test("shows the difference between two trees", async (workspace, dir) => {
    write(dir, { file: { bytes: "before\n" } });
    const from = await workspace.snapshot();
    write(dir, { file: { bytes: "after\n" }, fresh: { bytes: "born\n" } });
    const to = await workspace.snapshot();
    const lines = (await workspace.diff(from.tree, to.tree)).split("\n");
    expect(["-before", "+after", "+born"].filter((line) => !lines.includes(line))).toEqual([]);
    expect(await workspace.diff(to.tree, to.tree)).toEqual("");
  });
}

/** Restoring and copying a tree. */
function testRestore({ test, expect }: WorkspaceTests): void {
  test("restores every file byte for byte, and saves the replaced files", async (workspace, dir) => {
    write(dir, AWKWARD);
    const { tree } = await workspace.snapshot();
    const before = contents(dir);
    clear(dir);
    write(dir, {
      "run.sh": { bytes: "changed" },
      "plain.txt/now/a/folder": {},
      link: { bytes: "now a file" },
      new: {},
    });
    const replaced = contents(dir);
    const saved = await workspace.restore(tree);
    expect(contents(dir)).toEqual(before);
    expect((await workspace.snapshot()).tree).toEqual(tree);
    await workspace.restore(saved.tree);
    expect(contents(dir)).toEqual(replaced);
    await workspace.restore(tree);
    expect(contents(dir)).toEqual(before);
  });

  test("copies a tree byte for byte into another folder, and leaves the workspace alone", async (workspace, dir) => {
    write(dir, AWKWARD);
    const { tree } = await workspace.snapshot();
    const before = contents(dir);
    write(dir, { "plain.txt": { bytes: "since then" }, new: {} });
    const after = contents(dir);
    const other = fs.mkdtempSync(path.join(os.tmpdir(), "converge-copy-"));
    await workspace.copy(tree, other);
    expect(contents(other)).toEqual(before);
    expect(contents(dir)).toEqual(after);
    fs.rmSync(other, { recursive: true });
  });
}

/** Ignored files and outputs of gates. */
function testExclusions({ test, expect }: WorkspaceTests): void {
  test("leaves ignored files alone", async (workspace, dir) => {
    write(dir, { ".gitignore": { bytes: "/cache/\n*.log\n" }, file: { bytes: "1" } });
    const { tree } = await workspace.snapshot();
    write(dir, { "cache/kept": { bytes: "k" }, "debug.log": { bytes: "l" }, file: { bytes: "2" } });
    const changed = await workspace.snapshot(tree);
    expect(changed.changes).toEqual([{ path: "file", kind: "changed" }]);
    await workspace.restore(tree);
    expect(contents(dir)).toEqual({
      ".gitignore": "file /cache/\n*.log\n",
      "cache/kept": "file k",
      "debug.log": "file l",
      file: "file 1",
    });
  });

  test("excludes outputs that gates wrote at the baseline, until the agent edits them", async (workspace, dir) => {
    write(dir, { file: { bytes: "1" }, "o[1]": { bytes: "near" }, "out 2": { bytes: "near" } });
    const { tree } = await workspace.snapshot();
    const outputs: Files = {
      "out *[1]?/deep/a": { bytes: "o" },
      "o*": { bytes: "o" },
      "o[12]": { bytes: "o" },
      "back\\slash": { bytes: "o" },
      "out ": { bytes: "o" },
    };
    write(dir, outputs);
    const detected = await workspace.findOutputs({ isBaseline: true, trees: [tree], besides: [] });
    expect([...detected.paths].sort()).toEqual(["back\\slash", "o*", "o[12]", "out ", "out *[1]?/"]);
    expect(detected.trees).toEqual({});
    expect((await workspace.snapshot()).tree).toEqual(tree);
    write(dir, { "o*": { bytes: "edited" }, "o[1]": { bytes: "work" }, "out 2": { bytes: "work" } });
    expect(await workspace.reclaimOutputs()).toEqual(["o*"]);
    const { changes } = await workspace.snapshot(tree);
    expect(changes.map(({ path: name }) => name)).toEqual(["o*", "o[1]", "out 2"]);
    await workspace.restore(tree);
    expect(Object.keys(contents(dir)).sort()).toEqual(
      ["back\\slash", "file", "o[1]", "o[12]", "out ", "out 2", "out *[1]?/deep/a"].sort(),
    );
  });
}

/** `make` creates a workspace on a new folder without files, except .git. */
export function workspaceConformance(
  name: string,
  make: () => Promise<Workspace>,
  { describe, it, expect }: TestApi,
): void {
  const test: WorkspaceTests["test"] = (title, body) =>
    it(title, async () => {
      const workspace = await make();
      try {
        await body(workspace, workspace.dir);
      } finally {
        await workspace.close();
      }
    });
  const suite: WorkspaceTests = { test, expect };

  describe(`${name} conforms to the workspace contract`, () => {
    testSnapshots(suite);
    testChanges(suite);
    testRestore(suite);
    testExclusions(suite);
    testProtectedPaths(suite, AWKWARD);
  });
}

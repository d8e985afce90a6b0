// Part of the workspace suite: tests of protected paths.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Protection } from "#spec/task";
import type { Workspace } from "#spec/workspace";
import type { TestApi } from "./api.ts";
import { contents, type Files, write } from "./files.ts";

/** What the tests of the workspace suite use. */
export interface WorkspaceTests {
  readonly test: (title: string, body: (workspace: Workspace, dir: string) => Promise<void>) => unknown;
  readonly expect: TestApi["expect"];
}

const EVERYTHING: Protection[] = [{ path: "**", grows: false }];
const SCRIPT: Protection[] = [{ path: "package.json", key: ["scripts", "test"], grows: false }];

const packageJson = (test: string, rest: object = {}) =>
  `${JSON.stringify({ name: "x", scripts: { test, build: "tsc" }, ...rest }, null, 2)}\n`;

async function changeKinds(workspace: Workspace, seal: string, paths: readonly Protection[]) {
  const changes = (await workspace.tampering(seal, paths))?.changes ?? [];
  return Object.fromEntries(changes.map(({ path: name, kind }) => [name, kind]));
}

/** Changes to protected files. */
function testDetection({ test, expect }: WorkspaceTests, awkward: Files): void {
  test("reports no tampering when sealed files are unchanged", async (workspace, dir) => {
    write(dir, awkward);
    const before = contents(dir);
    const seal = await workspace.seal(EVERYTHING);
    expect(await workspace.tampering(seal, EVERYTHING)).toEqual(undefined);
    const later = new Date(Date.now() + 60_000);
    fs.utimesSync(path.join(dir, "plain.txt"), later, later);
    expect(await workspace.tampering(seal, EVERYTHING)).toEqual(undefined);
    expect(contents(dir)).toEqual(before);
  });

  test("detects every change to protected files, and restores them byte for byte", async (workspace, dir) => {
    write(dir, awkward);
    const before = contents(dir);
    const seal = await workspace.seal(EVERYTHING);
    fs.rmSync(path.join(dir, "plain.txt"));
    write(dir, {
      "windows.txt": { bytes: "one\ntwo\nno end" },
      "run.sh": { bytes: "#!/bin/sh\n" },
      link: { link: "empty" },
      dangling: { bytes: "no/such/file" },
      "plain.txt/now/a/folder": {},
      new: {},
    });
    fs.rmSync(path.join(dir, "a"), { recursive: true });
    expect(await changeKinds(workspace, seal, EVERYTHING)).toEqual({
      "a/b/c/d/deep.txt": "deleted",
      dangling: "changed",
      link: "changed",
      new: "added",
      "plain.txt": "changed",
      "plain.txt/now/a/folder": "added",
      "run.sh": "changed",
      "windows.txt": "changed",
    });
    await workspace.mend(seal, EVERYTHING);
    expect(contents(dir)).toEqual(before);
    expect(await workspace.tampering(seal, EVERYTHING)).toEqual(undefined);
  });

  test("detects a change with equal size and forged mtime", async (workspace, dir) => {
    write(dir, { file: { bytes: "ab" } });
    const seal = await workspace.seal(EVERYTHING);
    const { atime, mtime } = fs.statSync(path.join(dir, "file"));
    fs.writeFileSync(path.join(dir, "file"), "ba");
    fs.utimesSync(path.join(dir, "file"), atime, mtime);
    expect(await changeKinds(workspace, seal, EVERYTHING)).toEqual({ file: "changed" });
  });
}

/** What a protection covers: new files, ignored files, one value; and how changes are shown. */
function testKinds({ test, expect }: WorkspaceTests): void {
  test("shows a diff of changes to protected files", async (workspace, dir) => {
    write(dir, { "test/a": { bytes: "right\n" }, "package.json": { bytes: packageJson("real") } });
    const paths = [{ path: "test/**", grows: true }, ...SCRIPT];
    const seal = await workspace.seal(paths);
    write(dir, { "test/a": { bytes: "wrong\n" }, "package.json": { bytes: packageJson("fake") } });
    const lines = (await workspace.tampering(seal, paths))?.diff.split("\n") ?? [];
    const expectedLines = ["-right", "+wrong", '-"real"', '+"fake"'];
    expect(expectedLines.filter((line) => !lines.includes(line))).toEqual([]);
  });

  test("allows new files only where the protection grows", async (workspace, dir) => {
    write(dir, { "test/a": {}, "tool.config.ts": {} });
    const paths = [
      { path: "test/**", grows: true },
      { path: "tool.config.*", grows: false },
    ];
    const seal = await workspace.seal(paths);
    write(dir, { "test/b": {}, "tool.config.js": {}, "src/c": {} });
    expect(await changeKinds(workspace, seal, paths)).toEqual({ "tool.config.js": "added" });
    await workspace.mend(seal, paths);
    expect(Object.keys(contents(dir)).sort()).toEqual(["src/c", "test/a", "test/b", "tool.config.ts"]);
  });

  test("protects ignored files, and leaves other files alone", async (workspace, dir) => {
    const paths = [{ path: ".env.test", grows: false }];
    write(dir, { ".gitignore": { bytes: ".env*\n" }, ".env.test": { bytes: "1" }, free: { bytes: "1" } });
    const seal = await workspace.seal(paths);
    write(dir, { ".env.test": { bytes: "2" }, free: { bytes: "2" }, more: {} });
    expect(await changeKinds(workspace, seal, paths)).toEqual({ ".env.test": "changed" });
    await workspace.mend(seal, paths);
    expect(contents(dir)).toEqual({
      ".gitignore": "file .env*\n",
      ".env.test": "file 1",
      free: "file 2",
      more: "file ",
    });
  });

  test("protects one value of a JSON file, and leaves the rest alone", async (workspace, dir) => {
    write(dir, { "package.json": { bytes: packageJson("real") } });
    const seal = await workspace.seal(SCRIPT);
    write(dir, { "package.json": { bytes: packageJson("real", { version: "2.0.0" }) } });
    expect(await workspace.tampering(seal, SCRIPT)).toEqual(undefined);
    write(dir, { "package.json": { bytes: packageJson("fake", { version: "2.0.0" }) } });
    expect(await changeKinds(workspace, seal, SCRIPT)).toEqual({ "package.json#scripts.test": "changed" });
    await workspace.mend(seal, SCRIPT);
    expect(contents(dir)).toEqual({ "package.json": `file ${packageJson("real", { version: "2.0.0" })}` });
    write(dir, { "package.json": { bytes: "{" } });
    await workspace.mend(seal, SCRIPT);
    expect(contents(dir)).toEqual({ "package.json": `file ${packageJson("real")}` });
  });
}

/** Where protected files are restored. */
function testRestoring({ test, expect }: WorkspaceTests): void {
  test("never reads or writes through a symbolic link that replaced a folder", async (workspace, dir) => {
    const paths = [{ path: "test/**", grows: true }];
    const outside = fs.mkdtempSync(path.join(os.tmpdir(), "converge-outside-"));
    write(dir, { "test/deep/a": { bytes: "mine" } });
    write(outside, { a: { bytes: "mine" } });
    const seal = await workspace.seal(paths);
    fs.rmSync(path.join(dir, "test/deep"), { recursive: true });
    fs.symlinkSync(outside, path.join(dir, "test/deep"));
    expect(await changeKinds(workspace, seal, paths)).toEqual({ "test/deep/a": "deleted" });
    write(outside, { a: { bytes: "theirs" } });
    await workspace.mend(seal, paths);
    expect(contents(dir)).toEqual({ "test/deep/a": "file mine" });
    expect(contents(outside)).toEqual({ a: "file theirs" });
    fs.rmSync(outside, { recursive: true });
  });

  test("restores protected files into a copy, and leaves the workspace alone", async (workspace, dir) => {
    const paths = [{ path: "test/**", grows: true }];
    write(dir, { "test/a": { bytes: "right" } });
    const seal = await workspace.seal(paths);
    write(dir, { "test/a": { bytes: "wrong" } });
    const other = fs.mkdtempSync(path.join(os.tmpdir(), "converge-copy-"));
    write(other, { "test/a": { bytes: "wrong too" }, b: { bytes: "b" } });
    await workspace.mend(seal, paths, other);
    expect(contents(other)).toEqual({ "test/a": "file right", b: "file b" });
    expect(contents(dir)).toEqual({ "test/a": "file wrong" });
    fs.rmSync(other, { recursive: true });
  });
}

export function testProtectedPaths(suite: WorkspaceTests, awkward: Files): void {
  testDetection(suite, awkward);
  testKinds(suite);
  testRestoring(suite);
}

import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { isBehindLink, isInside, isInsideResolved, normaliseInside, pathInside } from "#system/inside";
import { folders, write } from "../../support/folders.ts";

describe("isInside", () => {
  it.each([
    ["/w", "a", true],
    ["/w", "/w", true],
    ["/w", ".", true],
    ["/w", "", true],
    ["/w/", "/w/a/", true],
    ["/w", "a/../b", true],
    ["/w", "..x", true],
    ["/w", "/w/..x/a", true],
    ["/w", "...", true],
    ["/w", "..", false],
    ["/w", "../", false],
    ["/w", "../x", false],
    ["/w", "a/../../x", false],
    ["/w", "/wide", false],
    ["/w", "/", false],
    ["/", "/", true],
    ["/", "/a", true],
    ["/", "..", true],
  ])("in %s, %s: %s", (folder, name, inside) => {
    expect(isInside(folder, name)).toBe(inside);
  });
});

describe("pathInside", () => {
  it.each([
    ["/w", "a/./b/", "a/b"],
    ["/w/", "/w/a", "a"],
    ["/w", "..x", "..x"],
    ["/w", "..x/a", "..x/a"],
    ["/", "/a", "a"],
    ["/w", ".", undefined],
    ["/w", "/w/", undefined],
    ["/w", "..", undefined],
    ["/w", "../w2", undefined],
    ["/w", "/wide", undefined],
  ])("in %s, %s is %s", (folder, name, relative) => {
    expect(pathInside(folder, name)).toBe(relative);
  });
});

describe("normaliseInside", () => {
  it.each([
    ["a", "a"],
    ["./a//b/", "a/b"],
    ["..x", "..x"],
    ["a/../..x/", "..x"],
    [".", undefined],
    ["./", undefined],
    ["", undefined],
    ["a/..", undefined],
    ["..", undefined],
    ["../", undefined],
    ["../workspace/a", undefined],
    ["/", undefined],
    ["/a", undefined],
  ])("%s gives %s", (name, normal) => {
    expect(normaliseInside(name)).toBe(normal);
  });
});

/** A workspace with links that stay inside, links that lead out, and a link to itself. */
function workspace(): string {
  const { dir } = folders();
  write(path.dirname(dir), { "outside/secret.txt": "" });
  write(dir, { "b/c.txt": "", "..x": "" });
  fs.symlinkSync("b", path.join(dir, "in"));
  fs.symlinkSync("../outside", path.join(dir, "out"));
  fs.symlinkSync("gone", path.join(dir, "nowhere"));
  fs.symlinkSync(dir, path.join(path.dirname(dir), "alias"));
  return dir;
}

describe("isInsideResolved", () => {
  it.each([
    ["b/c.txt", true],
    ["..x", true],
    [".", true],
    ["in/c.txt", true],
    ["new/folder/file", true],
    ["in/new", true],
    ["../alias/b", true],
    ["..", false],
    ["out", false],
    ["out/secret.txt", false],
    ["out/new", false],
    ["nowhere", false],
    ["nowhere/new", false],
    ["/", false],
  ])("%s: %s", (name, inside) => {
    const dir = workspace();
    expect(isInsideResolved(dir, name)).toBe(inside);
    expect(isInsideResolved(path.join(path.dirname(dir), "alias"), name)).toBe(inside);
  });

  it("has every existing path inside the root folder", () => {
    expect(isInsideResolved("/", workspace())).toBe(true);
  });
});

describe("isBehindLink", () => {
  it("is true for a path that a link below the folder leads to", () => {
    const dir = workspace();
    expect(["in", "in/c.txt", "out/secret.txt"].map((name) => isBehindLink(dir, name))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("is false without links, and ignores links above the folder", () => {
    const dir = workspace();
    const alias = path.join(path.dirname(dir), "alias");
    expect(["b/c.txt", "..x", "."].map((name) => isBehindLink(dir, name))).toEqual([false, false, false]);
    expect(isBehindLink(alias, "b/c.txt")).toBe(false);
  });
});

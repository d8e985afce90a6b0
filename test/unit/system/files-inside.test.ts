import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { kindInside, listFiles, readInside, realInside } from "#system/files-inside";
import { folders, write } from "../../support/folders.ts";

/** A workspace with links that stay inside and links that lead out. */
function workspace(): string {
  const { dir } = folders();
  write(path.dirname(dir), { "outside/secret.txt": "secret" });
  write(dir, { "a.txt": "a", "b/.hidden": "", "b/c/d.txt": "", ".git/config": "", "node_modules/m.js": "" });
  for (const [link, to] of [
    ["in.txt", "b/c/d.txt"],
    ["out.txt", "../outside/secret.txt"],
    ["out", "../outside"],
    ["again", "b"],
    ["round", "."],
    ["nowhere", "gone"],
  ])
    fs.symlinkSync(to as string, path.join(dir, link as string));
  execFileSync("mkfifo", [path.join(dir, "pipe")]);
  return dir;
}

describe("workspace files", () => {
  it("lists files without .git, node_modules, FIFOs and links to other folders", async () => {
    expect(await listFiles(workspace())).toEqual(["a.txt", "b/.hidden", "b/c/d.txt", "in.txt"]);
  });

  it("distinguishes files from folders, and returns nothing for a symlink that leads out", async () => {
    const dir = workspace();
    const names = [
      "a.txt",
      "b",
      "in.txt",
      "again",
      "out.txt",
      "out",
      "out/secret.txt",
      "pipe",
      "gone",
      "../x",
    ];
    const kinds = await Promise.all(names.map((name) => kindInside(dir, name)));
    expect(kinds).toEqual(["file", "folder", "file", "folder", ...Array(6).fill(undefined)]);
    expect(await realInside(dir, "again/c/d.txt")).toBe(path.join(dir, "b/c/d.txt"));
  });

  it("reads a regular file up to the size limit, and rejects larger or other files", async () => {
    const dir = workspace();
    expect((await readInside(dir, "a.txt", 1)).toString()).toBe("a");
    await expect(readInside(dir, "a.txt", 0)).rejects.toThrow("a.txt is larger than");
    await expect(readInside(dir, "out.txt", 100)).rejects.toThrow(
      "there is no file out.txt in the workspace",
    );
    await expect(readInside(dir, "pipe", 100)).rejects.toThrow("pipe is not a regular file");
  });
});

import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FOREIGN_FOLDERS, walk } from "#system/walk";
import { temporary, write } from "../../support/folders.ts";

function folder(): string {
  const dir = temporary();
  write(dir, { "a.txt": "", "b/c/d.txt": "", "b/e": "", ".git/config": "", "b/node_modules/m.js": "" });
  fs.symlinkSync("b", path.join(dir, "link"));
  fs.symlinkSync("gone", path.join(dir, "dangling"));
  return dir;
}

const namesIn = (...args: Parameters<typeof walk>) => [...walk(...args)].map(({ name }) => name);

describe("walk", () => {
  it("yields files, folders and links, and follows no link", () => {
    const skipped = FOREIGN_FOLDERS;
    expect(namesIn(folder(), { skipped }).sort()).toEqual(
      ["a.txt", "b", "b/c", "b/c/d.txt", "b/e", "dangling", "link"].sort(),
    );
  });

  it("yields folders before their content", () => {
    const names = namesIn(folder());
    expect(names.indexOf("b")).toBeLessThan(names.indexOf("b/c"));
    expect(names.indexOf("b/c")).toBeLessThan(names.indexOf("b/c/d.txt"));
    expect(names).toContain(".git/config");
  });

  it("yields a folder that it may not enter, but none of its content", () => {
    const names = namesIn(folder(), { canEnter: (name) => name !== "b/c" });
    expect(names).toContain("b/c");
    expect(names).not.toContain("b/c/d.txt");
  });

  it("throws for an unreadable folder, or calls onUnreadable", () => {
    const dir = path.join(folder(), "a.txt");
    expect(() => namesIn(dir)).toThrow("ENOTDIR");
    const unreadable: unknown[] = [];
    expect(namesIn(dir, { onUnreadable: (...args) => unreadable.push(args) })).toEqual([]);
    expect(unreadable).toEqual([[dir, expect.objectContaining({ code: "ENOTDIR" })]]);
  });

  it("stops reading when the caller stops", () => {
    for (const { name } of walk(folder(), { canEnter: () => expect.fail("went on") })) {
      expect(name).not.toBe("");
      break;
    }
  });
});

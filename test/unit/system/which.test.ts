import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { whyNotRunnable } from "#system/runnable";
import { programsNamed, which } from "#system/which";
import { temporary, write } from "../../support/folders.ts";

it("finds the first executable file on the search path", () => {
  const root = temporary();
  write(root, { "a/tool": "", "b/tool": "", "c/tool": "" });
  fs.chmodSync(path.join(root, "b/tool"), 0o755);
  fs.chmodSync(path.join(root, "c/tool"), 0o755);
  fs.mkdirSync(path.join(root, "d/tool"), { recursive: true });
  const search = ["d", "a", "b", "c"].map((name) => path.join(root, name)).join(":");
  expect(which("tool", search)).toBe(path.join(root, "b/tool"));
  expect(which("tool", path.join(root, "a"))).toBeUndefined();
});

it("skips relative folders, and returns an absolute path as it is", () => {
  expect(which("sh", ".:bin:")).toBeUndefined();
  expect(which("/bin/sh", "")).toBe("/bin/sh");
  expect(which("./sh", "/bin")).toBeUndefined();
});

it("skips links that cannot be resolved", () => {
  const root = temporary();
  write(root, { "b/tool": "" });
  fs.chmodSync(path.join(root, "b/tool"), 0o755);
  fs.mkdirSync(path.join(root, "a"));
  fs.symlinkSync("gone", path.join(root, "a/tool"));
  fs.symlinkSync("loop", path.join(root, "a/loop"));
  const searchPath = ["a", "missing", "b"].map((name) => path.join(root, name)).join(":");
  expect(programsNamed("tool", searchPath)).toEqual([path.join(root, "b/tool")]);
  expect(which("loop", searchPath)).toBeUndefined();
  expect(which(path.join(root, "a/tool"), "")).toBeUndefined();
  expect(whyNotRunnable("loop", { cwd: root, searchPath })).toBe("loop: command not found");
  expect(whyNotRunnable("./a/tool", { cwd: root, searchPath })).toBe("./a/tool: command not found");
});

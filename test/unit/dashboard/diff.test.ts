import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDiff } from "../../../dashboard/src/diff/parse.ts";
import { unquoted } from "../../../dashboard/src/diff/unquoted.ts";

let dir: string;
const git = (...args: string[]) => execFileSync("git", ["-C", dir, ...args], { encoding: "utf8" });
const file = (name: string, text: string | Buffer, mode = 0o644) => {
  fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
  fs.writeFileSync(path.join(dir, name), text, { mode });
};
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), "diff-"));
  git("init", "-q");
  file("long.txt", `${lines(60).join("\n")}\n`);
  file("gone.txt", "-- not a header\n");
  file("moved.txt", `${lines(20).join("\n")}\n`);
  file("script.sh", "echo\n");
  file("picture.bin", Buffer.from([0, 1, 2]));
  git("add", "-A");
  file("long.txt", `${lines(60).with(2, "third").toSpliced(50, 1).join("\n")}\nopen end`);
  fs.rmSync(path.join(dir, "gone.txt"));
  fs.renameSync(path.join(dir, "moved.txt"), path.join(dir, "new name.txt"));
  fs.chmodSync(path.join(dir, "script.sh"), 0o755);
  file("picture.bin", Buffer.from([0, 3]));
  file("ä/new b/file.txt", "++ odd\n\nend\n");
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

/** Parses git's own diff between the index and the working tree. */
function parsed() {
  const from = git("write-tree").trim();
  git("add", "-A");
  return parseDiff(git("diff", "--no-color", "-M", from, git("write-tree").trim()));
}

describe("a git diff", () => {
  it("is parsed into files with their changes", () => {
    const files = Object.fromEntries(parsed().map((one) => [one.path, one]));
    expect(Object.keys(files).sort()).toEqual([
      "gone.txt",
      "long.txt",
      "new name.txt",
      "picture.bin",
      "script.sh",
      "ä/new b/file.txt",
    ]);
    expect(files["long.txt"]).toMatchObject({ change: "changed", added: 2, removed: 2, binary: false });
    expect(files["gone.txt"]).toMatchObject({ change: "deleted", added: 0, removed: 1 });
    expect(files["gone.txt"]?.hunks[0]?.lines[0]).toMatchObject({ kind: "removed", text: "-- not a header" });
    expect(files["new name.txt"]).toMatchObject({ change: "renamed", from: "moved.txt", hunks: [] });
    expect(files["script.sh"]?.modes).toEqual({ before: "100644", after: "100755" });
    expect(files["picture.bin"]).toMatchObject({ binary: true, hunks: [] });
    expect(files["ä/new b/file.txt"]?.hunks[0]?.lines.map(({ text }) => text)).toEqual(["++ odd", "", "end"]);

    const [first, , last] = files["long.txt"]?.hunks ?? [];
    expect(first?.lines.find(({ kind }) => kind === "removed")).toMatchObject({ text: "line 3", before: 3 });
    expect(first?.lines.find(({ kind }) => kind === "added")).toMatchObject({ text: "third", after: 3 });
    expect(last?.lines.at(-1)).toMatchObject({ text: "open end", after: 60, open: true });
  });

  it("is parsed as far as possible when truncated, and is empty when invalid", () => {
    const cut = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@ place\n a\n-b\n+c";
    expect(parseDiff(cut)).toMatchObject([{ path: "x", added: 1, removed: 1, hunks: [{ where: "place" }] }]);
    expect(parseDiff("")).toEqual([]);
    expect(parseDiff("<script>\n@@ -1 +1 @@\n+x")).toEqual([]);
  });

  it("has its quoted paths unescaped", () => {
    expect(unquoted('"a\\tb \\"\\303\\244\\" \\\\"')).toBe('a\tb "ä" \\');
    expect(unquoted("plain")).toBe("plain");
  });
});

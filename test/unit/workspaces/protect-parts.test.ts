import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Protection } from "#spec/task";
import { inPlace } from "#workspaces/in-place";
import { temporary, write } from "../../support/folders.ts";
import { repository } from "../../support/repository.ts";

type Files = Readonly<Record<string, string>>;

/** Seals, edits and restores the files. Returns the reported changes and a reader for the restored files. */
async function tampered(
  paths: readonly Protection[],
  files: Files,
  edits: Files,
  gone: readonly string[] = [],
) {
  const root = temporary();
  const dir = path.join(root, "project");
  repository(dir, files);
  const workspace = await inPlace({ dir, shadowDir: path.join(root, "shadow.git"), exclude: [] });
  const seal = await workspace.seal(paths);
  write(dir, edits);
  for (const name of gone) fs.rmSync(path.join(dir, name));
  const tampering = await workspace.tampering(seal, paths);
  await workspace.mend(seal, paths);
  expect(await workspace.tampering(seal, paths)).toBeUndefined();
  await workspace.close();
  const read = (name: string) =>
    fs.existsSync(path.join(dir, name)) ? fs.readFileSync(path.join(dir, name), "utf8") : undefined;
  return { changes: tampering?.changes ?? [], diff: tampering?.diff ?? "", read };
}

const RUST: Protection[] = [{ path: "**/*.rs", part: { kind: "rust-tests" }, grows: true }];
const SOURCE =
  "pub fn one() -> i32 { 2 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::one(), 1); }\n}\n";

it("restores inline tests and keeps the change to the source", async () => {
  const edited = SOURCE.replace("{ 2 }", "{ 1 }").replace("assert_eq!(super::one(), 1)", "");
  const { changes, diff, read } = await tampered(
    RUST,
    { "src/lib.rs": SOURCE },
    { "src/lib.rs": edited, "src/new.rs": SOURCE },
  );
  expect(changes).toEqual([{ path: "src/lib.rs (inline tests)", kind: "changed" }]);
  expect(diff).toMatch(/^- {4}fn one\(\) \{ assert_eq/m);
  expect(read("src/lib.rs")).toBe(SOURCE.replace("{ 2 }", "{ 1 }"));
  expect(read("src/new.rs")).toBe(SOURCE);
});

it("leaves a file alone when its protected part did not change", async () => {
  const edited = SOURCE.replace("{ 2 }", "{ 1 }");
  const { changes, read } = await tampered(RUST, { "src/lib.rs": SOURCE }, { "src/lib.rs": edited });
  expect(changes).toEqual([]);
  expect(read("src/lib.rs")).toBe(edited);
});

it("restores a deleted file that has a protected part", async () => {
  const { changes, read } = await tampered(RUST, { "src/lib.rs": SOURCE }, {}, ["src/lib.rs"]);
  expect(changes).toEqual([{ path: "src/lib.rs (inline tests)", kind: "deleted" }]);
  expect(read("src/lib.rs")).toBe(SOURCE);
});

it("removes a new file with a part that must not be added", async () => {
  const paths: Protection[] = [{ path: "**/*_test.go", part: { kind: "go-main" }, grows: false }];
  const edits = {
    "main_test.go": "package a\n\nfunc TestMain(m *testing.M) {\n}\n",
    "b_test.go": "package a\n",
  };
  const { changes, read } = await tampered(paths, { "a_test.go": "package a\n" }, edits);
  expect(changes).toEqual([{ path: "main_test.go (TestMain)", kind: "added" }]);
  expect(read("main_test.go")).toBeUndefined();
  expect(read("b_test.go")).toBe("package a\n");
});

it("ignores changes to excepted paths", async () => {
  const paths: Protection[] = [{ path: "**/test/**", except: ["src/test/**"], grows: false }];
  const files = { "test/a": "1", "src/test/a": "1" };
  const { changes } = await tampered(paths, files, { "test/a": "2", "src/test/a": "2", "src/test/b": "1" });
  expect(changes).toEqual([{ path: "test/a", kind: "changed" }]);
});

it("ignores changes to git-ignored files when the protection allows them", async () => {
  const files = { ".gitignore": "*.log\n", "tests/a": "1", "tests/a.log": "1" };
  const edits = { "tests/a.log": "2", "tests/a": "2" };
  const free = await tampered([{ path: "tests/**", ignored: "free", grows: true }], files, edits);
  expect(free.changes).toEqual([{ path: "tests/a", kind: "changed" }]);
  const strict = await tampered([{ path: "tests/**", grows: true }], files, edits);
  expect(strict.changes.map(({ path: name }) => name)).toEqual(["tests/a", "tests/a.log"]);
});

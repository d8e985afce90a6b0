import { describe, expect, it } from "vitest";
import { addedFiles } from "#gates/levels/added-files";
import { temporary, write } from "../../../support/folders.ts";
import { repository } from "../../../support/repository.ts";
import { judge, statuses } from "./levels-support.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
const failuresOf = async (sanity: object, files: Files, more = {}) =>
  (await judge({ sanity }, files, more)).failures;
const MARKERS = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";

describe("the action of a sanity rule", () => {
  it.each([
    ["fail", "failed", "failed"],
    ["warn", "passed", "warned"],
  ])("%s", async (action, status, check) => {
    const verdict = await judge({ sanity: { conflictMarkers: action } }, { "a.txt": MARKERS });
    expect(verdict.status).toBe(status);
    expect(statuses(verdict)).toEqual({ "L3 conflict markers": check });
    expect(verdict.summary).toContain("L3 conflict markers");
  });

  it("off", async () => {
    const sanity = { conflictMarkers: "off", largeFiles: "fail" };
    const verdict = await judge({ sanity }, { "a.txt": MARKERS });
    expect(statuses(verdict)).toEqual({ "L3 large files": "passed" });
  });

  it("passes a warning rule that cannot be checked, and errors a failing one", async () => {
    const files = { "big.js": new Uint8Array(17 * 1024 * 1024) };
    expect((await judge({ sanity: { debug: "warn" } }, files)).status).toBe("passed");
    expect((await judge({ sanity: { debug: "fail" } }, files)).status).toBe("errored");
  });
});

describe("the sanity rules", () => {
  it("report large files", async () => {
    const files = { "a.bin": "x".repeat(2001), "b.bin": "x".repeat(2000), "dist/c.bin": "x".repeat(9000) };
    expect(await failuresOf({ largeFiles: { limit: "2KB" } }, files)).toEqual([
      {
        id: "L3 large files: a.bin",
        message: "a.bin is 2001 bytes",
        location: "a.bin",
        expected: "at most 2000 bytes",
        actual: "2001 bytes",
      },
    ]);
    const everywhere = await failuresOf({ largeFiles: { limit: 2000, except: ["a.*"] } }, files);
    expect(everywhere.map(({ location }) => location)).toEqual(["dist/c.bin"]);
    const standard = { "a.bin": new Uint8Array(1_000_000), "b.bin": new Uint8Array(1_000_001) };
    expect(await failuresOf({ largeFiles: "fail" }, standard)).toMatchObject([{ location: "b.bin" }]);
  });

  it.each([
    ["a.ts", "  console.log(1);"],
    ["a.jsx", "debugger"],
    ["a.test.mjs", "it.only('x', () => {})"],
    ["a.py", "    breakpoint()"],
    ["b.py", "import pdb; pdb.set_trace()"],
    ["a.rb", "binding.pry"],
    ["a.go", "spew.Dump(x)"],
    ["a.rs", "dbg!(x);"],
    ["a.php", "var_dump($x);"],
    ["A.java", "e.printStackTrace();"],
    ["A.cs", "Debugger.Break();"],
    ["a.exs", "IEx.pry"],
  ])("report leftover debug code in %s", async (file, line) => {
    const files = { [file]: `first\n${line}\n`, "notes.md": `${line}\n`, "dist/x.js": "debugger" };
    expect(await failuresOf({ debug: "fail" }, files)).toEqual([
      { id: `L3 leftover debug: ${file}`, message: line.trim(), location: `${file}:2` },
    ]);
  });

  it("report leftover debug code by custom patterns", async () => {
    const debug = { patterns: [{ files: "**/*.lua", pattern: "^print\\(" }] };
    const files = { "a.lua": "print(1)\nprint(2)\n", "a.js": "debugger\n" };
    expect(await failuresOf({ debug }, files)).toEqual([
      { id: "L3 leftover debug: a.lua", message: "print(1) (and 1 more)", location: "a.lua:1" },
    ]);
  });

  it("report conflict markers, but not Markdown heading underlines", async () => {
    const files = { "a.txt": `text\n${MARKERS}`, "b.md": "Heading\n=======\n<<<<<<<<<\n" };
    expect(await failuresOf({ conflictMarkers: "fail" }, files)).toEqual([
      {
        id: "L3 conflict markers: a.txt",
        message: "merge conflict marker: <<<<<<< ours",
        location: "a.txt:2",
      },
    ]);
  });
});

describe("new source without tests", () => {
  /** Returns the git diff between two sets of files. */
  function diffOf(before: Record<string, string>, after: Record<string, string>): string {
    const dir = temporary();
    const git = repository(dir, before);
    write(dir, after);
    git("add", "--all");
    return git("diff", "--cached", "HEAD");
  }
  const look = async (before: Record<string, string>, after: Record<string, string>, more = {}) => {
    const diff = diffOf(before, after);
    const request = { diff: async () => diff };
    const untested = { action: "fail", ...more };
    const found = await failuresOf({ untested }, { ...before, ...after }, request);
    return found.map(({ location }) => location);
  };

  it("reports only new source files", async () => {
    const before = { "src/old.ts": "1\n" };
    const after = { "src/old.ts": "2\n", "src/new.ts": "3\n", "README.md": "4\n", "vite.config.ts": "5\n" };
    expect(await look(before, after)).toEqual(["src/new.ts"]);
  });

  it.each([
    ["src/user-name.ts", "src/user-name.test.ts"],
    ["src/user-name.ts", "test/unit/user-name.test.ts"],
    ["src/contest.ts", "src/contest.test.ts"],
    ["pkg/user_name.py", "tests/test_user_name.py"],
    ["user_name.go", "user_name_test.go"],
    ["src/UserName.java", "src/UserNameTest.java"],
    ["lib/user_name.rb", "spec/user_name_spec.rb"],
    ["src/user-name.js", "__tests__/user-name.js"],
  ])("accepts for %s the test %s", async (source, test) => {
    expect(await look({}, { [source]: "1\n" })).toEqual([source]);
    expect(await look({}, { [source]: "1\n", [test]: "2\n" })).toEqual([]);
    expect(await look({ [test]: "2\n" }, { [source]: "1\n" })).toEqual([]);
  });

  it("accepts inline tests in a Rust file", async () => {
    const after = { "src/a.rs": "#[cfg(test)]\nmod tests {}\n", "src/b.rs": "fn b() {}\n" };
    expect(await look({}, after)).toEqual(["src/b.rs"]);
  });

  it("takes the globs for source and test files from the options", async () => {
    const more = { files: "app/**", except: "app/generated/**", tests: "checks/**" };
    const after = { "app/a.js": "1\n", "app/b.js": "1\n", "app/generated/c.js": "1\n", "checks/a.js": "1\n" };
    expect(await look({}, after, more)).toEqual(["app/b.js"]);
  });

  it("unquotes git's file names and ignores content that looks like a diff", async () => {
    const after = { "ä b.ts": "1\n", "tab\there.ts": "1\n", 'quote".ts': "1\n" };
    expect([...addedFiles(diffOf({}, after))].sort()).toEqual(Object.keys(after).sort());
    const posing = { "a.md": "-- /dev/null\n" };
    const posed = { "a.md": "++ b/fake.ts\n" };
    expect(addedFiles(diffOf(posing, posed))).toEqual([]);
  });

  it("errors when the diff fails", async () => {
    const diff = () => Promise.reject(new Error("diff failed"));
    const verdict = await judge({ sanity: { untested: "fail" } }, {}, { diff });
    expect(verdict).toMatchObject({ status: "errored", failures: [{ id: "L3 new source without tests" }] });
  });
});

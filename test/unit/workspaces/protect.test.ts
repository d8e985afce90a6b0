import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Protection } from "#spec/task";
import type { Workspace } from "#spec/workspace";
import { inPlace } from "#workspaces/in-place";
import { temporary, write } from "../../support/folders.ts";
import { repository } from "../../support/repository.ts";

interface Opened {
  readonly dir: string;
  readonly shadowDir: string;
  readonly workspace: Workspace;
  readonly git: (...args: string[]) => string;
}

async function opened(files: Readonly<Record<string, string>>): Promise<Opened> {
  const root = temporary();
  const dir = path.join(root, "project");
  const shadowDir = path.join(root, "shadow.git");
  const git = repository(dir, files);
  return { dir, shadowDir, git, workspace: await inPlace({ dir, shadowDir, exclude: [] }) };
}

const growing = (path: string): Protection => ({ path, grows: true });
const closed = (path: string): Protection => ({ path, grows: false });
const value = (path: string, ...key: string[]): Protection => ({ path, key, grows: false });

/** The kind of each reported change, by path. */
async function found({ workspace }: Opened, seal: string, paths: readonly Protection[]) {
  const tampering = await workspace.tampering(seal, paths);
  return Object.fromEntries((tampering?.changes ?? []).map(({ path, kind }) => [path, kind]));
}

/** Restores the files and checks that no tampering is reported any more. */
async function mended(place: Opened, seal: string, paths: readonly Protection[]): Promise<void> {
  await place.workspace.mend(seal, paths);
  expect(await place.workspace.tampering(seal, paths)).toBeUndefined();
}

describe("tampering detection", () => {
  const TESTS = [growing("test/**")];

  it("finds changes in files marked skip-worktree or assume-unchanged", async () => {
    const place = await opened({ "test/a": "1\n", "test/b": "1\n" });
    const seal = await place.workspace.seal(TESTS);
    place.git("update-index", "--skip-worktree", "test/a");
    place.git("update-index", "--assume-unchanged", "test/b");
    write(place.dir, { "test/a": "2\n", "test/b": "2\n" });
    expect(place.git("status", "--porcelain")).toBe("");
    expect(await found(place, seal, TESTS)).toEqual({ "test/a": "changed", "test/b": "changed" });
    await mended(place, seal, TESTS);
    expect(fs.readFileSync(path.join(place.dir, "test/a"), "utf8")).toBe("1\n");
  });

  it("finds a change hidden with git replace, even in the shadow repository", async () => {
    const place = await opened({ "test/a": "1\n" });
    const seal = await place.workspace.seal(TESTS);
    const inside = (...args: string[]) =>
      execFileSync("git", ["--git-dir", place.shadowDir, ...args], { encoding: "utf8" }).trim();
    const sealed = inside("rev-parse", `${seal}:test/a`);
    write(place.dir, { "test/a": "2\n" });
    inside("replace", sealed, inside("hash-object", "-w", path.join(place.dir, "test/a")));
    expect(inside("cat-file", "blob", sealed)).toBe("2");
    expect(await found(place, seal, TESTS)).toEqual({ "test/a": "changed" });
    await mended(place, seal, TESTS);
    expect(fs.readFileSync(path.join(place.dir, "test/a"), "utf8")).toBe("1\n");
  });

  it("ignores attributes that mark a test as binary or convert its line endings", async () => {
    const place = await opened({ "test/a": "1\r\n" });
    const seal = await place.workspace.seal(TESTS);
    write(place.dir, { ".gitattributes": "* -diff text eol=lf\n", "test/a": "2\r\n" });
    expect((await place.workspace.tampering(seal, TESTS))?.diff).toMatch(/^-1\n\+2$/m);
    await mended(place, seal, TESTS);
    expect(fs.readFileSync(path.join(place.dir, "test/a"), "utf8")).toBe("1\r\n");
  });

  it("does not read the shadow repository while nothing has changed", async () => {
    const place = await opened({ "test/a": "1\n", "package.json": '{"scripts":{"test":"x"}}' });
    const paths = [...TESTS, closed("**/conftest.py"), value("package.json", "scripts", "test")];
    const seal = await place.workspace.seal(paths);
    expect(await found(place, seal, paths)).toEqual({});
    fs.renameSync(place.shadowDir, `${place.shadowDir}.away`);
    expect(await found(place, seal, paths)).toEqual({});
    write(place.dir, { "test/a": "2\n" });
    await expect(place.workspace.tampering(seal, paths)).rejects.toThrow();
  });
});

it("sealing does not change the index of the shadow repository", async () => {
  const place = await opened({ "test/a": "1\n", other: "1\n" });
  await place.workspace.snapshot();
  const index = () => fs.readFileSync(path.join(place.shadowDir, "index"));
  const before = index();
  const seal = await place.workspace.seal([growing("test/**")]);
  write(place.dir, { "test/a": "2\n" });
  await place.workspace.tampering(seal, [growing("test/**")]);
  expect(index().equals(before)).toBe(true);
  expect(fs.readdirSync(place.shadowDir).filter((name) => name.startsWith("protect."))).toEqual([]);
});

it("a seal is valid in a second instance of the workspace", async () => {
  const place = await opened({ "test/a": "1\n" });
  const seal = await place.workspace.seal([growing("test/**")]);
  const again = await inPlace({ dir: place.dir, shadowDir: place.shadowDir, exclude: [] });
  write(place.dir, { "test/a": "2\n" });
  expect((await again.tampering(seal, [growing("test/**")]))?.changes).toEqual([
    { path: "test/a", kind: "changed" },
  ]);
  await again.mend(seal, [growing("test/**")]);
  expect(fs.readFileSync(path.join(place.dir, "test/a"), "utf8")).toBe("1\n");
});

it("files in node_modules, __pycache__ and nested .git folders are ignored", async () => {
  const place = await opened({ "a.py": "1" });
  write(place.dir, { "node_modules/x/a.py": "1", "__pycache__/a.py": "1", "sub/.git/a.py": "1" });
  const paths = [closed("**/*.py")];
  const seal = await place.workspace.seal(paths);
  write(place.dir, { "node_modules/x/a.py": "2", "__pycache__/b.py": "", "sub/.git/b.py": "" });
  expect(await found(place, seal, paths)).toEqual({});
});

describe("an entry in place of a protected file", () => {
  const paths = [growing("test/**")];
  const tricks: Readonly<Record<string, (file: string) => void>> = {
    "a folder": (file) => write(path.dirname(file), { "a/with/more": "x" }),
    "a FIFO": (file) => execFileSync("mkfifo", [file]),
    "a symlink to a copy of its content": (file) => {
      write(path.dirname(file), { copy: "1\n" });
      fs.symlinkSync("copy", file);
    },
    "a dangling symlink": (file) => fs.symlinkSync("/no/such/file", file),
    "a file in place of its folder": (file) => {
      fs.rmSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(path.dirname(file), "x");
    },
  };

  it.each(Object.entries(tricks))("is detected and removed: %s", async (_, trick) => {
    const place = await opened({ "test/a": "1\n" });
    const file = path.join(place.dir, "test/a");
    const seal = await place.workspace.seal(paths);
    fs.rmSync(file);
    trick(file);
    expect(Object.keys(await found(place, seal, paths))).toEqual(["test/a"]);
    await mended(place, seal, paths);
    expect(fs.lstatSync(file).isFile()).toBe(true);
    expect(fs.readFileSync(file, "utf8")).toBe("1\n");
  });

  it("is removed when it is a new symlink, without touching the symlink's target", async () => {
    const place = await opened({ "real.ts": "1" });
    const closedPaths = [closed("tool.config.*")];
    const seal = await place.workspace.seal(closedPaths);
    fs.symlinkSync("real.ts", path.join(place.dir, "tool.config.ts"));
    expect(await found(place, seal, closedPaths)).toEqual({ "tool.config.ts": "added" });
    await mended(place, seal, closedPaths);
    expect(fs.readdirSync(place.dir).sort()).toEqual([".git", "real.ts"]);
  });
});

describe("a protected value in a JSON file", () => {
  const file = (place: Opened) => path.join(place.dir, "package.json");
  const read = (place: Opened) => fs.readFileSync(file(place), "utf8");

  it("is removed when it was added to an existing file", async () => {
    const paths = [value("package.json", "scripts", "pretest")];
    const place = await opened({ "package.json": '{"scripts":{"test":"x"}}' });
    const seal = await place.workspace.seal(paths);
    write(place.dir, { "package.json": '{"scripts":{"test":"x","pretest":"cheat"}}' });
    expect(await found(place, seal, paths)).toEqual({ "package.json#scripts.pretest": "added" });
    await mended(place, seal, paths);
    expect(read(place)).toBe('{"scripts":{"test":"x"}}');
  });

  it("is removed when it was added in a new file", async () => {
    const paths = [value("package.json", "scripts", "test")];
    const place = await opened({});
    const seal = await place.workspace.seal(paths);
    write(place.dir, { "package.json": '{"name":"x"}' });
    expect(await found(place, seal, paths)).toEqual({});
    write(place.dir, { "package.json": '{"name":"x","scripts":{"test":"true"}}' });
    expect(await found(place, seal, paths)).toEqual({ "package.json#scripts.test": "added" });
    await mended(place, seal, paths);
    expect(JSON.parse(read(place))).toEqual({ name: "x", scripts: {} });
  });

  it.each([
    ["is deleted with its file", undefined, "deleted"],
    ["is deleted", "{}", "deleted"],
    ["has a parent that is not an object any more", '{"scripts":"none"}', "deleted"],
    ["is in a file that is not JSON any more", "not JSON", "changed"],
  ])("is restored when it %s", async (_, text, kind) => {
    const paths = [value("package.json", "scripts", "test")];
    const place = await opened({ "package.json": '{ "scripts": {"test":  "x"} }\n' });
    const seal = await place.workspace.seal(paths);
    fs.rmSync(file(place));
    if (text !== undefined) write(place.dir, { "package.json": text });
    expect(await found(place, seal, paths)).toEqual({ "package.json#scripts.test": kind });
    await mended(place, seal, paths);
    expect(read(place)).toBe('{ "scripts": {"test":  "x"} }\n');
  });

  it("is removed without changing indentation, line endings or the byte order mark", async () => {
    const paths = [value("package.json", "jest")];
    const place = await opened({ "package.json": "{}" });
    const text = (more: string) => `\ufeff{\r\n\t"list": [\r\n\t\t1\r\n\t]${more}\r\n}\r\n`;
    const seal = await place.workspace.seal(paths);
    write(place.dir, { "package.json": text(',\r\n\t"jest": 1') });
    await mended(place, seal, paths);
    expect(read(place)).toBe(text(""));
  });

  it("is restored without reverting other changes or the file mode", async () => {
    const paths = [value("package.json", "a", "b.c"), value("package.json", "list", "1")];
    const place = await opened({ "package.json": '{"a":{"b.c":1},"list":[1,2]}' });
    const seal = await place.workspace.seal(paths);
    write(place.dir, { "package.json": '{"a":{"b.c":2,"d":3},"list":[1,9,4],"new":true}' });
    fs.chmodSync(file(place), 0o755);
    expect(await found(place, seal, paths)).toEqual({
      'package.json#a."b.c"': "changed",
      "package.json#list.1": "changed",
    });
    await mended(place, seal, paths);
    expect(JSON.parse(read(place))).toEqual({ a: { "b.c": 1, d: 3 }, list: [1, 2, 4], new: true });
    expect(fs.statSync(file(place)).mode & 0o111).not.toBe(0);
  });

  it("is removed from a list that grew", async () => {
    const paths = [value("package.json", "list", "1")];
    const place = await opened({ "package.json": '{"list":[1]}' });
    const seal = await place.workspace.seal(paths);
    write(place.dir, { "package.json": '{"list":[1,2,3]}' });
    await mended(place, seal, paths);
    expect(read(place)).toBe('{"list":[1]}');
  });

  it("can have a name like __proto__", async () => {
    const paths = [value("package.json", "__proto__", "length")];
    const place = await opened({ "package.json": '{"__proto__":{"length":1}}' });
    const seal = await place.workspace.seal(paths);
    write(place.dir, { "package.json": '{"__proto__":[7]}' });
    expect(await found(place, seal, paths)).toEqual({ "package.json#__proto__.length": "deleted" });
    await mended(place, seal, paths);
    expect(read(place)).toBe('{"__proto__":{"length":1}}');
  });

  it("is checked in every matching file, regardless of the order of keys", async () => {
    const paths = [value("packages/*/package.json", "scripts")];
    const text = '{"scripts":{"a":1,"b":2}}';
    const place = await opened({ "packages/one/package.json": text, "packages/two/package.json": text });
    const seal = await place.workspace.seal(paths);
    write(place.dir, {
      "packages/one/package.json": '{"scripts":{"b":2,"a":1}}',
      "packages/two/package.json": '{"scripts":{"a":1}}',
      "packages/three/package.json": text,
    });
    expect(await found(place, seal, paths)).toEqual({
      "packages/three/package.json#scripts": "added",
      "packages/two/package.json#scripts": "changed",
    });
    await mended(place, seal, paths);
  });

  it("protects the whole file when it was not valid JSON at the start", async () => {
    const paths = [value("tsconfig.json", "include")];
    const place = await opened({ "tsconfig.json": '{ "include": [] } // all' });
    const seal = await place.workspace.seal(paths);
    write(place.dir, { "tsconfig.json": "{}" });
    expect(await found(place, seal, paths)).toEqual({ "tsconfig.json": "changed" });
    await mended(place, seal, paths);
    expect(fs.readFileSync(path.join(place.dir, "tsconfig.json"), "utf8")).toBe('{ "include": [] } // all');
  });

  it("is not read through a symlink", async () => {
    const paths = [value("package.json", "scripts")];
    const place = await opened({ "package.json": '{"scripts":{}}', "other.json": '{"scripts":{}, "x":1}' });
    const seal = await place.workspace.seal(paths);
    fs.rmSync(file(place));
    fs.symlinkSync("other.json", file(place));
    expect(await found(place, seal, paths)).toEqual({ "package.json#scripts": "changed" });
    await mended(place, seal, paths);
    expect(read(place)).toBe('{"scripts":{}}');
    expect(fs.readFileSync(path.join(place.dir, "other.json"), "utf8")).toBe('{"scripts":{}, "x":1}');
  });
});

it("limits the report of many changes and restores all files", async () => {
  const names = Array.from({ length: 250 }, (_, index) => `test/${index}`);
  const place = await opened(Object.fromEntries(names.map((name) => [name, `${name}\n`.repeat(40)])));
  const paths = [growing("test/**")];
  const seal = await place.workspace.seal(paths);
  fs.rmSync(path.join(place.dir, "test"), { recursive: true });
  const tampering = await place.workspace.tampering(seal, paths);
  expect(tampering?.changes).toHaveLength(200);
  expect(tampering?.diff.length).toBeLessThan(21_000);
  await mended(place, seal, paths);
  expect(fs.readdirSync(path.join(place.dir, "test"))).toHaveLength(250);
});

it("a diff contains no terminal escape codes", async () => {
  const place = await opened({ "test/a": "1\n" });
  const seal = await place.workspace.seal([growing("test/**")]);
  write(place.dir, { "test/a": "\u001b[2Jgone\u202e\n" });
  const diff = (await place.workspace.tampering(seal, [growing("test/**")]))?.diff;
  expect(diff).toMatch(/^\+gone$/m);
});

it("a seal without matching files detects added ones", async () => {
  const place = await opened({ a: "1" });
  const paths = [closed("none/**")];
  const seal = await place.workspace.seal(paths);
  expect(seal).toMatch(/^[0-9a-f]{40}$/);
  expect(await found(place, seal, paths)).toEqual({});
  write(place.dir, { "none/b": "" });
  expect(await found(place, seal, paths)).toEqual({ "none/b": "added" });
  await mended(place, seal, paths);
});

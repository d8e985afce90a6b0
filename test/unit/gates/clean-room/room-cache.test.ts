import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openCache } from "#gates/clean-room/room-cache";
import { temporary, write } from "../../../support/folders.ts";

const cleanRoom = {
  setup: ["install"],
  setupMs: 1,
  env: [],
  cache: [{ path: "deps", key: ["lock"] }],
};

function room(files: Readonly<Record<string, string>>): string {
  const dir = temporary();
  write(dir, { lock: "1", ...files });
  return dir;
}

describe("the cache of a clean room", () => {
  it("fills a room that has the same key files with independent copies", async () => {
    const cache = openCache(temporary(), cleanRoom);
    const first = room({ "deps/a.js": "1", "deps/bin/run.sh": "#!/bin/sh" });
    fs.symlinkSync("../a.js", path.join(first, "deps/bin/a"));
    expect(await cache.fill(room({}))).toBe(false);
    expect(await cache.keep(first)).toEqual([]);
    const second = room({});
    expect(await cache.fill(second)).toBe(true);
    expect(fs.readlinkSync(path.join(second, "deps/bin/a"))).toBe("../a.js");
    expect(fs.statSync(path.join(second, "deps/bin/run.sh")).mode & 0o111).not.toBe(0);
    fs.writeFileSync(path.join(second, "deps/a.js"), "poisoned");
    const third = room({});
    await cache.fill(third);
    expect(fs.readFileSync(path.join(third, "deps/a.js"), "utf8")).toBe("1");
  });

  it("misses when the lockfile, the set-up commands or the folder differ", async () => {
    const dir = temporary();
    await openCache(dir, cleanRoom).keep(room({ "deps/a.js": "1" }));
    const other = (change: object) => openCache(dir, { ...cleanRoom, ...change });
    expect(await other({}).fill(room({ lock: "2" }))).toBe(false);
    expect(await other({ setup: ["install more"] }).fill(room({}))).toBe(false);
    expect(await other({ cache: [{ path: "other", key: ["lock"] }] }).fill(room({}))).toBe(false);
    expect(await other({}).fill(room({}))).toBe(true);
  });

  it("fills all folders or none", async () => {
    const dir = temporary();
    await openCache(dir, cleanRoom).keep(room({ "deps/a.js": "1" }));
    const two = { ...cleanRoom, cache: [...cleanRoom.cache, { path: "more", key: ["lock"] }] };
    const target = room({});
    expect(await openCache(dir, two).fill(target)).toBe(false);
    expect(fs.readdirSync(target)).toEqual(["lock"]);
  });

  it("reports folders that set-up did not create and does not follow symlinks", async () => {
    const dir = temporary();
    const cache = openCache(dir, cleanRoom);
    expect(await cache.keep(room({}))).toEqual(["deps: set-up did not create this folder"]);
    const linked = room({});
    fs.symlinkSync("/etc", path.join(linked, "deps"));
    expect(await cache.keep(linked)).toEqual(["deps: set-up did not create this folder"]);
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it("does not write through a symlink in the snapshot", async () => {
    const dir = temporary();
    await openCache(dir, cleanRoom).keep(room({ "deps/a.js": "1" }));
    const outside = temporary();
    const target = room({});
    fs.symlinkSync(outside, path.join(target, "deps"));
    expect(await openCache(dir, cleanRoom).fill(target)).toBe(false);
    expect(fs.readdirSync(outside)).toEqual([]);
  });

  it("evicts the least recently used entry and removes half-written ones", async () => {
    const dir = temporary();
    const cache = openCache(dir, cleanRoom);
    const old = new Date(Date.now() - 3 * 86_400_000);
    fs.mkdirSync(path.join(dir, "half-left"));
    fs.utimesSync(path.join(dir, "half-left"), old, old);
    await cache.keep(room({ lock: "first", "deps/a": "" }));
    const [first = ""] = fs.readdirSync(dir);
    fs.utimesSync(path.join(dir, first), old, old);
    for (let number = 0; number < 20; number++) await cache.keep(room({ lock: `${number}`, "deps/a": "" }));
    expect(fs.readdirSync(dir)).toHaveLength(20);
    expect(fs.readdirSync(dir)).not.toContain(first);
  });
});

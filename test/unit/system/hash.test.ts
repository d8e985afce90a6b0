import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { hashCached, hashFile } from "#system/hash";
import { temporary, write } from "../../support/folders.ts";

const sha = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");

it("returns the SHA-256 of a file of any size, and a placeholder for anything else", () => {
  const dir = temporary();
  const large = Buffer.alloc(3_000_001, 7);
  write(dir, { small: "text", empty: "", large });
  expect(hashFile(path.join(dir, "small"))).toBe(sha("text"));
  expect(hashFile(path.join(dir, "empty"))).toBe(sha(""));
  expect(hashFile(path.join(dir, "large"))).toBe(sha(large));
  expect(hashFile(path.join(dir, "missing"))).toBe("");
  expect(hashFile(dir)).toBe("folder");
  execFileSync("mkfifo", [path.join(dir, "fifo")]);
  expect(hashFile(path.join(dir, "fifo"))).toBe("special");
});

it("hashes a huge file by its ends and its size, without reading all of it", () => {
  const file = path.join(temporary(), "huge");
  fs.writeFileSync(file, "");
  fs.truncateSync(file, 600 * 1_048_576);
  const before = hashFile(file);
  const handle = fs.openSync(file, "r+");
  fs.writeSync(handle, "x", 600 * 1_048_576 - 10);
  fs.closeSync(handle);
  expect(hashFile(file)).not.toBe(before);
});

it("reads the file again when it was rewritten with its old modification time", () => {
  const file = path.join(temporary(), "tool");
  fs.writeFileSync(file, "one");
  const { atime, mtime } = fs.statSync(file);
  expect(hashCached(file)).toBe(sha("one"));
  fs.writeFileSync(file, "two");
  fs.utimesSync(file, atime, mtime);
  expect(hashCached(file)).toBe(sha("two"));
  fs.rmSync(file);
  expect(hashCached(file)).toBe("");
});

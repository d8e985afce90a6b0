import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  mirrorInto,
  openLog,
  readTail,
  replaceFile,
  replaceFileAsync,
  replaceFolder,
  sizeOf,
  temporaryFor,
  writePrivate,
} from "#system/files";
import { temporary } from "../../support/folders.ts";

describe("readTail", () => {
  it("returns all of a short file", () => {
    const file = path.join(temporary(), "log");
    fs.writeFileSync(file, "short ä\n");
    expect(readTail(file, 100)).toBe("short ä\n");
    expect(readTail(file, 100, 6)).toBe("ä\n");
    expect(readTail(file, 100, 500)).toBe("");
  });

  it("starts at a character boundary, wherever the limit falls", () => {
    const file = path.join(temporary(), "log");
    const text = "aä日🦊".repeat(50);
    fs.writeFileSync(file, text);
    for (let limit = 1; limit < 40; limit++) {
      const end = readTail(file, limit);
      expect(text.endsWith(end)).toBe(true);
      expect(Buffer.byteLength(end)).toBeGreaterThan(limit - 4);
    }
  });

  it("never throws on invalid UTF-8", () => {
    const file = path.join(temporary(), "log");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(70), fc.nat(70), (bytes, limit, from) => {
        fs.writeFileSync(file, bytes);
        expect(readTail(file, limit, from).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it("returns an empty string for a FIFO, a folder or a missing file, without blocking", () => {
    const dir = temporary();
    const fifo = path.join(dir, "fifo");
    execFileSync("mkfifo", [fifo]);
    expect(readTail(fifo, 100)).toBe("");
    expect(readTail(dir, 100)).toBe("");
    expect(readTail(path.join(dir, "nothing"), 100)).toBe("");
    expect(sizeOf(path.join(dir, "nothing"))).toBe(0);
  });
});

describe("writePrivate", () => {
  it("makes the file readable by its owner only, also when it replaces another", () => {
    const file = path.join(temporary(), "file");
    fs.writeFileSync(file, "old and public", { mode: 0o644 });
    writePrivate(file, "new");
    expect(fs.readFileSync(file, "utf8")).toBe("new");
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.dirname(file))).toEqual(["file"]);
  });

  it("does not follow a symbolic link and does not block on a FIFO", () => {
    const dir = temporary();
    const outside = path.join(dir, "outside");
    fs.writeFileSync(outside, "untouched");
    fs.symlinkSync(outside, path.join(dir, "link"));
    execFileSync("mkfifo", [path.join(dir, "fifo")]);
    for (const name of ["link", "fifo"]) {
      writePrivate(path.join(dir, name), "new");
      expect(fs.lstatSync(path.join(dir, name)).isFile()).toBe(true);
      expect(fs.readFileSync(path.join(dir, name), "utf8")).toBe("new");
    }
    expect(fs.readFileSync(outside, "utf8")).toBe("untouched");
  });
});

describe("replaceFile", () => {
  const failing = () => {
    throw new Error("no space");
  };

  it("replaces the file and returns what the writer returns", async () => {
    const file = path.join(temporary(), "file");
    fs.writeFileSync(file, "old");
    const write = (text: string) => (to: string) => fs.writeFileSync(to, text) ?? text.length;
    expect(replaceFile(file, write("new"), { durable: true })).toBe(3);
    expect(fs.readFileSync(file, "utf8")).toBe("new");
    expect(await replaceFileAsync(file, async (to) => write("newer")(to), { durable: true })).toBe(5);
    expect(fs.readFileSync(file, "utf8")).toBe("newer");
    expect(fs.readdirSync(path.dirname(file))).toEqual(["file"]);
  });

  it("keeps the old file and leaves nothing behind when the writer fails", async () => {
    const file = path.join(temporary(), "file");
    fs.writeFileSync(file, "old");
    const halfway = (to: string) => {
      fs.writeFileSync(to, "ne");
      failing();
    };
    expect(() => replaceFile(file, halfway)).toThrow("no space");
    await expect(replaceFileAsync(file, async (to) => halfway(to))).rejects.toThrow("no space");
    expect(fs.readFileSync(file, "utf8")).toBe("old");
    expect(fs.readdirSync(path.dirname(file))).toEqual(["file"]);
  });

  it("deletes a leftover file, but no folder, unless the folder is Converge's or the agent's", () => {
    const file = path.join(temporary(), "x".repeat(255));
    fs.writeFileSync(temporaryFor(file), "left over");
    replaceFile(file, (to) => fs.writeFileSync(to, "1", { flag: "wx" }));
    fs.mkdirSync(path.join(temporaryFor(file), "deep"), { recursive: true });
    expect(() => replaceFile(file, (to) => fs.writeFileSync(to, "2"))).toThrow();
    writePrivate(file, "3");
    expect(fs.readFileSync(file, "utf8")).toBe("3");
  });
});

describe("replaceFolder", () => {
  it("replaces the folder, and keeps the old one when filling fails", async () => {
    const dir = path.join(temporary(), "deep", "folder");
    const fill = (text: string) => async (fresh: string) => {
      fs.mkdirSync(fresh);
      fs.writeFileSync(path.join(fresh, "a"), text);
      if (text === "bad") throw new Error("no network");
    };
    await replaceFolder(dir, fill("1"));
    await expect(replaceFolder(dir, fill("bad"))).rejects.toThrow("no network");
    expect(fs.readFileSync(path.join(dir, "a"), "utf8")).toBe("1");
    await replaceFolder(dir, fill("2"));
    expect(fs.readFileSync(path.join(dir, "a"), "utf8")).toBe("2");
    expect(fs.readdirSync(path.dirname(dir))).toEqual(["folder"]);
  });
});

describe("openLog", () => {
  it("appends, and accepts only a regular file", () => {
    const dir = temporary();
    const log = path.join(dir, "log");
    fs.writeFileSync(log, "before ");
    const handle = openLog(log);
    fs.writeSync(handle, "after");
    fs.closeSync(handle);
    expect(fs.readFileSync(log, "utf8")).toBe("before after");
    execFileSync("mkfifo", [path.join(dir, "fifo")]);
    fs.symlinkSync(log, path.join(dir, "link"));
    for (const name of ["fifo", "link", "."]) expect(() => openLog(path.join(dir, name))).toThrow();
  });
});

describe("mirrorInto", () => {
  it("replaces the file atomically and creates its folders", () => {
    const root = temporary();
    expect(mirrorInto({ root, dir: ".loop/state" }, "a.json", "1")).toBe(true);
    expect(mirrorInto({ root, dir: ".loop/state" }, "a.json", "2")).toBe(true);
    expect(fs.readFileSync(path.join(root, ".loop/state/a.json"), "utf8")).toBe("2");
    expect(fs.readdirSync(path.join(root, ".loop/state"))).toEqual(["a.json"]);
  });

  it("refuses a link that leads out of the workspace, and creates no folder behind it", () => {
    const root = temporary();
    const outside = temporary();
    fs.symlinkSync(outside, path.join(root, "out"));
    for (const dir of ["out", "out/deeper", "../elsewhere"])
      expect(mirrorInto({ root, dir }, "a", "1")).toBe(false);
    expect(fs.readdirSync(outside)).toEqual([]);
    expect(fs.existsSync(path.join(root, "../elsewhere"))).toBe(false);
  });

  it("replaces a link at the target instead of following it", () => {
    const root = temporary();
    const victim = path.join(temporary(), "victim");
    fs.writeFileSync(victim, "untouched");
    fs.mkdirSync(path.join(root, "state"));
    fs.symlinkSync(victim, path.join(root, "state", "a.json"));
    expect(mirrorInto({ root, dir: "state" }, "a.json", "1")).toBe(true);
    expect(fs.readFileSync(victim, "utf8")).toBe("untouched");
    expect(fs.readFileSync(path.join(root, "state", "a.json"), "utf8")).toBe("1");
  });

  it("follows a link that stays inside the workspace", () => {
    const root = temporary();
    fs.mkdirSync(path.join(root, "real"));
    fs.symlinkSync("real", path.join(root, "state"));
    expect(mirrorInto({ root, dir: "state" }, "a.json", "1")).toBe(true);
    expect(fs.readFileSync(path.join(root, "real", "a.json"), "utf8")).toBe("1");
  });
});

import os from "node:os";
import { describe, expect, it } from "vitest";
import { describeFullestDisk, hasNoSpace, isFullDisk } from "#system/disk";

describe("a full disk", () => {
  it.each([
    Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
    Object.assign(new Error("EDQUOT: unknown error"), { code: "EDQUOT" }),
    new Error("the snapshot failed: fatal: unable to write loose object file: No space left on device"),
    new Error("fatal: sha1 file 'index.lock' write error. Out of diskspace"),
    new Error("cannot use the store x: database or disk is full"),
  ])("is recognised by the error: $message", (error) => {
    expect(isFullDisk(error)).toBe(true);
  });

  it.each([new Error("EIO: i/o error, write"), new Error("disk I/O error"), new Error("the gate is full")])(
    "is not recognised in: $message",
    (error) => {
      expect(isFullDisk(error)).toBe(false);
    },
  );

  it("is described by the folder with the least space; a missing folder is ignored", () => {
    expect(describeFullestDisk(["/proc", os.tmpdir(), "/nowhere"])).toBe(
      "the disk is full: 0 KiB left in /proc",
    );
    expect(describeFullestDisk(["/nowhere"])).toBe("the disk is full");
    expect([hasNoSpace("/proc"), hasNoSpace("/nowhere")]).toEqual([true, false]);
  });
});

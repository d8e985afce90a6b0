import os from "node:os";
import { describe, expect, it } from "vitest";
import { fullest, hasNoRoom, isFullDisk } from "#system/disk";

describe("a full disk", () => {
  it.each([
    Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }),
    Object.assign(new Error("EDQUOT: unknown error"), { code: "EDQUOT" }),
    new Error("the snapshot failed: fatal: unable to write loose object file: No space left on device"),
    new Error("fatal: sha1 file 'index.lock' write error. Out of diskspace"),
    new Error("cannot use the store x: database or disk is full"),
  ])("is known by what is said: $message", (error) => {
    expect(isFullDisk(error)).toBe(true);
  });

  it.each([new Error("EIO: i/o error, write"), new Error("disk I/O error"), new Error("the gate is full")])(
    "is not what is meant by: $message",
    (error) => {
      expect(isFullDisk(error)).toBe(false);
    },
  );

  it("is named by the folder with least room; one that is not there has none to tell of", () => {
    expect(fullest(["/proc", os.tmpdir(), "/nowhere"])).toBe("the disk is full: 0 KiB left in /proc");
    expect(fullest(["/nowhere"])).toBe("the disk is full");
    expect([hasNoRoom("/proc"), hasNoRoom("/nowhere")]).toEqual([true, false]);
  });
});

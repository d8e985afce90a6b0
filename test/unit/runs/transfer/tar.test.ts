import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { canHold, tarEnd, tarFiles, tarHeader, tarPadding } from "#runs/transfer/tar";
import { temporary } from "../../../support/folders.ts";

const archived = (files: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat([
    ...Object.entries(files).flatMap(([name, text]) => [
      tarHeader(name, text.length),
      Buffer.from(text),
      tarPadding(text.length),
    ]),
    tarEnd(),
  ]);

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = 100): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const file of tarFiles(chunksOf(bytes, size))) {
    const pieces: Buffer[] = [];
    for await (const piece of file.content()) pieces.push(piece);
    found[file.name] = Buffer.concat(pieces).toString();
  }
  return found;
}

const LONG = `logs/${"d".repeat(90)}/${"f".repeat(60)}`;
const FILES = { "a.txt": "hello", [LONG]: "x".repeat(1_024), empty: "" };

describe("a tar archive", () => {
  it("round-trips with any chunk size, and the tar program can list it", async () => {
    for (const size of [1, 511, 512, 4_096]) expect(await read(archived(FILES), size)).toEqual(FILES);
    const file = path.join(temporary(), "x.tar");
    fs.writeFileSync(file, archived(FILES));
    expect(execFileSync("tar", ["tf", file], { encoding: "utf8" }).trim().split("\n")).toEqual(
      Object.keys(FILES),
    );
  });

  it.each(["../up", "/etc/passwd", "a/../../b", "a//b", ".hidden", "a/.git/config", "a\\b", "a b", "", "ü"])(
    "rejects the unsafe file name %j",
    async (name) => {
      expect(canHold(name, 0)).toBe(false);
      await expect(read(archived({ [name]: "x" }))).rejects.toThrow("which no export contains");
    },
  );

  it("is rejected when it contains a link, is truncated, or has a changed header", async () => {
    const bytes = archived(FILES);
    const link = Buffer.from(bytes);
    link.write("2", 156);
    await expect(read(link)).rejects.toThrow("a header is not what was written");
    link.write(
      `${link
        .subarray(0, 512)
        .reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
    );
    await expect(read(link)).rejects.toThrow("is not a regular file");
    for (const end of [0, 100, 600, 1_500])
      await expect(read(bytes.subarray(0, end))).rejects.toThrow("ends too early");
  });
});

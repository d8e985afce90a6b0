// Reads a text file that the task names: a regular UTF-8 file with a size limit. Returns a reason otherwise, never a truncated text.
import { constants } from "node:fs";
import { open } from "node:fs/promises";

const MAX_BYTES = 1024 * 1024;

type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

export async function readText(file: string): Promise<ReadText> {
  try {
    // Non-blocking, because opening a FIFO would hang.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) return fail("not a regular file");
    if (stat.size > MAX_BYTES) return fail(`larger than ${MAX_BYTES} bytes`);
    return decode(await handle.readFile());
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return code === "ENOENT" || code === "ENOTDIR"
      ? { ok: false, missing: true, reason: "no such file" }
      : fail(`cannot be read (${code})`);
  }
}

const fail = (reason: string): ReadText => ({ ok: false, missing: false, reason });

function decode(bytes: Uint8Array): ReadText {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return fail("not UTF-8 text");
  }
}

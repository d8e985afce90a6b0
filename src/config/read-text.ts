// A text file the task names: a regular file, bounded, UTF-8. Anything else is a sentence, never half a text.
import { constants } from "node:fs";
import { open } from "node:fs/promises";

const LARGEST_BYTES = 1024 * 1024;

type ReadText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

export async function readText(file: string): Promise<ReadText> {
  try {
    // Non-blocking: a FIFO in the place of the file must not hang us.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) return refused("not a regular file");
    if (stat.size > LARGEST_BYTES) return refused(`larger than ${LARGEST_BYTES} bytes`);
    return decoded(await handle.readFile());
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return code === "ENOENT" || code === "ENOTDIR"
      ? { ok: false, missing: true, reason: "no such file" }
      : refused(`cannot be read (${code})`);
  }
}

const refused = (reason: string): ReadText => ({ ok: false, missing: false, reason });

function decoded(bytes: Uint8Array): ReadText {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return refused("not UTF-8 text");
  }
}

// The identity of a custom module: what is pinned when a run starts. Files that it imports are not part of it.
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { ExtensionError } from "#spec/errors";
import { nameOf } from "./name-of.ts";

/** SHA-256 of the module's bytes, in hex. */
export async function hashModule(path: string): Promise<string> {
  // Looked at before it is read: a FIFO in its place must not hang us.
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) throw unreadable(path, found);
  if (!found.isFile()) throw new ExtensionError(`${nameOf(path)}: is not a file (${path})`);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  return createHash("sha256").update(bytes).digest("hex");
}

function unreadable(path: string, error: NodeJS.ErrnoException): ExtensionError {
  const problem = error.code === "ENOENT" ? "not found" : `cannot be read (${error.code})`;
  return new ExtensionError(`${nameOf(path)}: ${problem}; expected a .js, .mjs or .ts file at ${path}`);
}

// Hashes a custom module, to pin it when a run starts. The hash does not cover files that the module imports.
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { ExtensionError } from "#spec/errors";
import { nameOf } from "./name-of.ts";

/** SHA-256 of the module's bytes, in hex. */
export async function hashModule(path: string): Promise<string> {
  // stat before read: reading a FIFO would hang.
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) throw unreadable(path, stats);
  if (!stats.isFile()) throw new ExtensionError(`${nameOf(path)}: is not a file (${path})`);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  return createHash("sha256").update(bytes).digest("hex");
}

function unreadable(path: string, error: NodeJS.ErrnoException): ExtensionError {
  const problem = error.code === "ENOENT" ? "not found" : `cannot be read (${error.code})`;
  return new ExtensionError(`${nameOf(path)}: ${problem}; expected a .js, .mjs or .ts file at ${path}`);
}

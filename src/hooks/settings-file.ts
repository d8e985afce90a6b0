// Reads and atomically writes settings files of other programs, through symbolic links, keeping their mode.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import { replaceFile } from "#system/files";

/** Undefined when the file does not exist. */
export function readIfThere(file: string): string | undefined {
  if (!fs.statSync(file, { throwIfNoEntry: false })) return undefined;
  if (!fs.statSync(file).isFile())
    throw new UsageError(`${file}: expected a regular file; move it away, and try again`);
  return fs.readFileSync(file, "utf8");
}

/** Resolves symbolic links, even when the target does not exist yet. */
function resolveLinks(file: string): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return file;
  return resolveLinks(path.resolve(path.dirname(file), fs.readlinkSync(file)));
}

/** Atomic write: readers see the old or the new text, never a partial one. */
export function writeWhole(file: string, text: string): void {
  const real = resolveLinks(file);
  fs.mkdirSync(path.dirname(real), { recursive: true });
  const mode = fs.statSync(real, { throwIfNoEntry: false })?.mode;
  const write = (temporary: string) => {
    fs.writeFileSync(temporary, text, { flag: "wx" });
    if (mode !== undefined) fs.chmodSync(temporary, mode & 0o7777);
  };
  replaceFile(real, write, { durable: true });
}

/** Removes the target of a link and keeps the link. */
export function removeFile(file: string): void {
  fs.rmSync(resolveLinks(file), { force: true });
}

/** Removes the empty ones of these folders; inner folders must come first. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders)
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() && fs.readdirSync(folder).length === 0)
      fs.rmdirSync(folder);
}

// Files of other programs that we write into: read whole, replaced whole, through links, with the mode that they had.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";

/** Undefined when there is no such file. */
export function readIfThere(file: string): string | undefined {
  if (!fs.statSync(file, { throwIfNoEntry: false })) return undefined;
  if (!fs.statSync(file).isFile())
    throw new UsageError(`${file}: expected a file, got something else; move it away, and try again`);
  return fs.readFileSync(file, "utf8");
}

/** Where the path leads, also when the file that a link means is not there yet. */
function behindLinks(file: string): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return file;
  return behindLinks(path.resolve(path.dirname(file), fs.readlinkSync(file)));
}

/** Whoever reads it sees the old text or the new one, never a half. */
export function writeWhole(file: string, text: string): void {
  const real = behindLinks(file);
  fs.mkdirSync(path.dirname(real), { recursive: true });
  const mode = fs.statSync(real, { throwIfNoEntry: false })?.mode;
  const temporary = `${real}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, text, { flag: "wx" });
  try {
    if (mode !== undefined) fs.chmodSync(temporary, mode & 0o7777);
    fs.renameSync(temporary, real);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** A link to it stays, and leads nowhere, as it did before. */
export function removeFile(file: string): void {
  fs.rmSync(behindLinks(file), { force: true });
}

/** Of these folders, those that hold nothing; given inner ones first. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders)
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() && fs.readdirSync(folder).length === 0)
      fs.rmdirSync(folder);
}

// Files of other programs that we write into: read whole, replaced whole, through links, with the mode that they had.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import type { Json } from "./hook-settings.ts";
import type { Installed } from "./place.ts";

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

/** What a document is indented with, as far as its first indented line tells. */
function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? (text.includes("\n") || text === "" ? "  " : "");
}

function parsed(text: string): Json {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`it is not JSON (${(error as Error).message})`);
  }
  if (typeof document === "object" && document !== null && !Array.isArray(document)) return document as Json;
  throw new UsageError("expected an object");
}

/** Edits a JSON document in place; one that is left empty goes. Tells whether anything changed. */
export function editJson(file: string, edit: (document: Json) => Json): boolean {
  try {
    const text = readIfThere(file) ?? "";
    const before = text.trim() === "" ? {} : parsed(text);
    const after = edit(before);
    if (JSON.stringify(after) === JSON.stringify(before)) return false;
    const isEmpty = Object.keys(after).length === 0;
    if (isEmpty && !fs.lstatSync(file).isSymbolicLink()) fs.rmSync(file);
    else writeWhole(file, `${JSON.stringify(after, null, indentOf(text))}${/\S$/.test(text) ? "" : "\n"}`);
    return true;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${file}: ${error.message}; nothing was changed: put that right, and try again`);
  }
}

/** Stands in every file that we made, so that we know it again. */
export const OURS = "Made by converge hook install, and kept up to date by it unless this line is gone.";

function isOurs(file: string): boolean {
  return (
    fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true &&
    readIfThere(file)?.includes(OURS) === true
  );
}

/** Files of ours beside those of others: one of that name that is not ours stays. */
export function putFiles(files: Readonly<Record<string, string>>): Installed {
  const done: string[] = [];
  const notes: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    const isThere = fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if (isThere && !isOurs(file))
      notes.push(`${file} is not ours and was left as it is; move it away and install again to have ours`);
    else if (!isThere || readIfThere(file) !== text) {
      writeWhole(file, text);
      done.push(`wrote ${file}`);
    }
  }
  return { done, notes };
}

/** Those that were ours. */
export function removeFiles(files: readonly string[]): readonly string[] {
  const ours = files.filter(isOurs);
  for (const file of ours) fs.rmSync(file);
  return ours;
}

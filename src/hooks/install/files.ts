// Files of the user's that we write into: through links, as a whole or not at all, and only what is ours.
import fs from "node:fs";
import path from "node:path";
import { UsageError } from "#spec/errors";
import type { Json } from "./hook-settings.ts";
import type { Installed } from "./place.ts";

/** Undefined when there is no such file. Throws for what cannot be read and written back. */
function textOf(file: string): string | undefined {
  if (!fs.lstatSync(file, { throwIfNoEntry: false })) return undefined;
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile()) return fs.readFileSync(file, "utf8");
  throw new UsageError(
    stat ? "it is not a regular file" : `it is a link to ${fs.readlinkSync(file)}, which does not exist`,
  );
}

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const real = fs.existsSync(file) ? fs.realpathSync(file) : file;
  const before = fs.statSync(real, { throwIfNoEntry: false });
  const temporary = `${real}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, text, { flag: "wx" });
    if (before) fs.chmodSync(temporary, before.mode);
    fs.renameSync(temporary, real);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
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
    const text = textOf(file) ?? "";
    const before = text.trim() === "" ? {} : parsed(text);
    const after = edit(before);
    if (JSON.stringify(after) === JSON.stringify(before)) return false;
    const isEmpty = Object.keys(after).length === 0;
    if (isEmpty && !fs.lstatSync(file).isSymbolicLink()) fs.rmSync(file);
    else write(file, `${JSON.stringify(after, null, indentOf(text))}${/\S$/.test(text) ? "" : "\n"}`);
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
    fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true && textOf(file)?.includes(OURS) === true
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
    else if (!isThere || textOf(file) !== text) {
      write(file, text);
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

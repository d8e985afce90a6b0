// Restores sealed files in a folder: never through a symbolic link, never outside, and without touching other files.
import fs from "node:fs";
import path from "node:path";
import { restoredPieces } from "#classify/parts/parts";
import { removeAll, replaceFile, temporaryFor } from "#system/files";
import { type Difference, JSON_BYTES, type Sealed } from "./compare.ts";
import { inTheMannerOf, parsed, same, withValue } from "./json-value.ts";
import { type Entry, looker } from "./sealed-entry.ts";

/** Ensures a real, accessible folder; replaces a link or file in its place. */
function makeFolder(folder: string): void {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder);
  } else if ((stat.mode & 0o700) !== 0o700 && stat.uid === process.getuid?.())
    fs.chmodSync(folder, (stat.mode & 0o777) | 0o700);
}

function makeFolders(dir: string, name: string): void {
  const parent = path.dirname(name);
  if (parent === ".") return;
  makeFolders(dir, parent);
  makeFolder(path.join(dir, parent));
}

function put(dir: string, name: string, mode: Entry["mode"], bytes: Buffer): void {
  makeFolders(dir, name);
  const file = path.join(dir, name);
  removeAll(temporaryFor(file));
  replaceFile(file, (temporary) => {
    if (mode === "120000") fs.symlinkSync(bytes, temporary);
    else fs.writeFileSync(temporary, bytes, { flag: "wx", mode: mode === "100755" ? 0o777 : 0o666 });
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) fs.rmSync(file, { recursive: true });
  });
}

/** Restores only the values; uses the sealed bytes when nothing else in the file has changed. */
async function putValues(dir: string, name: string, found: readonly Difference[], sealed: Sealed) {
  const look = looker(dir);
  const now = look.entry(name);
  const there = now?.mode === "120000" ? undefined : parsed(look.bytes(name, JSON_BYTES));
  const was = sealed.entries.get(name);
  if (!now || !there) {
    if (was) put(dir, name, was.mode, await sealed.blob(was.id));
    return;
  }
  const wanted = found.reduce(
    (value, { value: one }) => (one ? withValue(value, one.key, one.before) : value),
    there.value,
  );
  const before = was && parsed(await sealed.blob(was.id));
  const text = before && same(before.value, wanted) ? before.text : inTheMannerOf(there.text, wanted);
  put(dir, name, now.mode, Buffer.from(text));
}

/** Restores only the parts, or the whole sealed file when a part cannot be restored alone. */
async function putParts(dir: string, name: string, found: readonly Difference[], sealed: Sealed) {
  const was = sealed.entries.get(name);
  const look = looker(dir);
  const now = look.entry(name);
  if (!was) {
    fs.rmSync(path.join(dir, name), { recursive: true, force: true });
    return;
  }
  const bytes = await sealed.blob(was.id);
  const there = now?.mode === was.mode ? look.bytes(name, JSON_BYTES)?.toString("utf8") : undefined;
  const text = found.reduce<string | undefined>(
    (present, { part }) =>
      present === undefined || !part ? present : restoredPieces(part.of, bytes.toString("utf8"), present),
    there,
  );
  put(dir, name, was.mode, text === undefined ? bytes : Buffer.from(text));
}

function byPath(found: readonly Difference[], kind: "value" | "part"): Map<string, Difference[]> {
  const groups = new Map<string, Difference[]>();
  for (const one of found) if (one[kind]) groups.set(one.path, [...(groups.get(one.path) ?? []), one]);
  return groups;
}

export async function putBack(dir: string, found: readonly Difference[], sealed: Sealed): Promise<void> {
  const whole = found.filter(({ value, part }) => !value && !part);
  // Delete added files first: they may be in the way of sealed ones.
  for (const { path: name, kind } of whole)
    if (kind === "added") fs.rmSync(path.join(dir, name), { recursive: true, force: true });
  const gone = whole.flatMap(({ path: name }) => {
    const was = sealed.entries.get(name);
    return was ? [{ name, was }] : [];
  });
  const blobs = gone.length > 0 ? await sealed.blobs(gone.map(({ was }) => was.id)) : new Map();
  for (const { name, was } of gone) put(dir, name, was.mode, blobs.get(was.id));
  for (const [name, values] of byPath(found, "value")) await putValues(dir, name, values, sealed);
  for (const [name, parts] of byPath(found, "part")) await putParts(dir, name, parts, sealed);
}

// Restores sealed files in a folder: never through a symbolic link, never outside, and without touching other files.
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { restoredPieces } from "#classify/parts/parts";
import { removeAll, replaceFile, temporaryFor } from "#system/files";
import { type Difference, JSON_BYTES, type SealedFiles } from "./compare.ts";
import { formatLike, parseJson, withValue } from "./json-value.ts";
import { folderReader, type TreeEntry } from "./tree-entry.ts";

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

interface FileToPut {
  readonly name: string;
  readonly mode: TreeEntry["mode"];
  readonly bytes: Buffer;
}

/** Writes atomically by renaming a temporary file, which replaces a link instead of following it. */
function put(dir: string, { name, mode, bytes }: FileToPut): void {
  makeFolders(dir, name);
  const file = path.join(dir, name);
  removeAll(temporaryFor(file));
  replaceFile(file, (temporary) => {
    if (mode === "120000") fs.symlinkSync(bytes, temporary);
    else fs.writeFileSync(temporary, bytes, { flag: "wx", mode: mode === "100755" ? 0o777 : 0o666 });
    if (fs.lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) fs.rmSync(file, { recursive: true });
  });
}

/** The differences of one file, all of values or all of parts. */
interface FileDifferences {
  readonly name: string;
  readonly differences: readonly Difference[];
}

/** Restores only the values; uses the sealed bytes when nothing else in the file has changed. */
async function putValues(dir: string, { name, differences }: FileDifferences, sealed: SealedFiles) {
  const reader = folderReader(dir);
  const now = reader.entry(name);
  const present = now?.mode === "120000" ? undefined : parseJson(reader.bytes(name, JSON_BYTES));
  const was = sealed.entries.get(name);
  if (!now || !present) {
    if (was) put(dir, { name, mode: was.mode, bytes: await sealed.blob(was.id) });
    return;
  }
  const restored = differences.reduce(
    (json, { value }) => (value ? withValue(json, value.key, value.before) : json),
    present.value,
  );
  const before = was && parseJson(await sealed.blob(was.id));
  const isWhole = before && isDeepStrictEqual(before.value, restored);
  const text = isWhole ? before.text : formatLike(present.text, restored);
  put(dir, { name, mode: now.mode, bytes: Buffer.from(text) });
}

/** Restores only the parts, or the whole sealed file when a part cannot be restored alone. */
async function putParts(dir: string, { name, differences }: FileDifferences, sealed: SealedFiles) {
  const was = sealed.entries.get(name);
  const reader = folderReader(dir);
  const now = reader.entry(name);
  if (!was) {
    fs.rmSync(path.join(dir, name), { recursive: true, force: true });
    return;
  }
  const bytes = await sealed.blob(was.id);
  const present = now?.mode === was.mode ? reader.bytes(name, JSON_BYTES)?.toString("utf8") : undefined;
  const text = differences.reduce<string | undefined>(
    (restored, { part }) =>
      restored === undefined || !part ? restored : restoredPieces(part.of, bytes.toString("utf8"), restored),
    present,
  );
  put(dir, { name, mode: was.mode, bytes: text === undefined ? bytes : Buffer.from(text) });
}

function groupByFile(differences: readonly Difference[], kind: "value" | "part"): FileDifferences[] {
  const groups = new Map<string, Difference[]>();
  for (const one of differences) if (one[kind]) groups.set(one.path, [...(groups.get(one.path) ?? []), one]);
  return [...groups].map(([name, group]) => ({ name, differences: group }));
}

export async function putBack(
  dir: string,
  differences: readonly Difference[],
  sealed: SealedFiles,
): Promise<void> {
  const whole = differences.filter(({ value, part }) => !value && !part);
  // Delete added files first: they may be in the way of sealed ones.
  for (const { path: name, kind } of whole)
    if (kind === "added") fs.rmSync(path.join(dir, name), { recursive: true, force: true });
  const lost = whole.flatMap(({ path: name }) => {
    const was = sealed.entries.get(name);
    return was ? [{ name, was }] : [];
  });
  const blobs = lost.length > 0 ? await sealed.blobs(lost.map(({ was }) => was.id)) : new Map();
  for (const { name, was } of lost) put(dir, { name, mode: was.mode, bytes: blobs.get(was.id) });
  for (const file of groupByFile(differences, "value")) await putValues(dir, file, sealed);
  for (const file of groupByFile(differences, "part")) await putParts(dir, file, sealed);
}

// Finds protected files, values and parts whose content differs from the seal.
import { isDeepStrictEqual } from "node:util";
import { changedPieces, type PieceChange } from "#classify/parts/parts";
import type { FilePart } from "#spec/task";
import type { FileChange } from "#spec/workspace";
import { type Json, parseJson, valueAt } from "./json-value.ts";
import type { Matcher } from "./matcher.ts";
import type { FolderReader, TreeEntry } from "./tree-entry.ts";
import { filesOfGroups } from "./walk.ts";

/** The content of a seal. */
export interface SealedFiles {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** The bytes of one file, cached: a file with a protected value is read repeatedly. */
  blob(id: string): Promise<Buffer>;
  blobs(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export interface Difference extends FileChange {
  /** Set when only this value of the file is protected. */
  readonly value?: {
    readonly key: readonly string[];
    readonly before: unknown;
    /** Also undefined when the file is no longer JSON. */
    readonly now: unknown;
  };
  /** Set when only this part of the file is protected. */
  readonly part?: { readonly of: FilePart; readonly changes: readonly PieceChange[] };
}

/** Size limit for reading a value or a part from a file. */
export const JSON_BYTES = 16 * 1024 * 1024;

const isFile = (entry: TreeEntry | undefined): boolean =>
  entry?.mode === "100644" || entry?.mode === "100755";

const isEqual = (one: TreeEntry | undefined, other: TreeEntry | undefined): boolean =>
  one?.mode === other?.mode && one?.id === other?.id;

/** Protections of one kind, with the sealed files that they match. */
interface Group {
  readonly matchers: readonly Matcher[];
  readonly sealedPaths: readonly string[];
}

/** The protections resolved against a seal; computed once for all comparisons of a run. */
export interface ResolvedProtections {
  readonly sealed: SealedFiles;
  /** Whole files. */
  readonly whole: Group;
  /** Values of JSON files. */
  readonly keyed: Group;
  readonly parted: Group;
}

export function resolveProtections(sealed: SealedFiles, matchers: readonly Matcher[]): ResolvedProtections {
  const group = (isMember: (one: Matcher) => boolean): Group => {
    const members = matchers.filter(isMember);
    const isMatched = (path: string) => members.some((one) => one.matches(path));
    return { matchers: members, sealedPaths: [...sealed.entries.keys()].filter(isMatched) };
  };
  return {
    sealed,
    whole: group(({ protection }) => !protection.key && !protection.part),
    keyed: group(({ protection }) => protection.key !== undefined),
    parted: group(({ protection }) => protection.part !== undefined),
  };
}

interface Comparison {
  readonly reader: FolderReader;
  readonly sealed: SealedFiles;
}

/** `present` are the files on disk of protections that allow no new files. */
function compareFiles(
  { reader, sealed }: Comparison,
  { sealedPaths }: Group,
  present: readonly string[],
): Difference[] {
  const changed = sealedPaths.flatMap((path): Difference[] => {
    const now = reader.entry(path);
    return isEqual(now, sealed.entries.get(path)) ? [] : [{ path, kind: now ? "changed" : "deleted" }];
  });
  const added = present.filter((path) => !sealed.entries.has(path));
  return [...changed, ...added.map((path): Difference => ({ path, kind: "added" }))];
}

/** A JSON file before and now; undefined where it did not exist. */
interface JsonVersions {
  readonly before: Json | undefined;
  readonly now: Json | undefined;
}

function compareValue(path: string, key: readonly string[], { before, now }: JsonVersions): Difference[] {
  const value = { key, before: valueAt(before?.value, key), now: valueAt(now?.value, key) };
  if (isDeepStrictEqual(value.before, value.now)) return [];
  const kind = value.before === undefined ? "added" : value.now === undefined ? "deleted" : "changed";
  return [{ path, kind, value }];
}

async function compareValues(
  path: string,
  { reader, sealed }: Comparison,
  matchers: readonly Matcher[],
): Promise<Difference[]> {
  const was = sealed.entries.get(path);
  const now = reader.entry(path);
  if (isEqual(was, now)) return [];
  const before = was && isFile(was) ? parseJson(await sealed.blob(was.id)) : undefined;
  // The sealed file is not JSON, so any change of it counts.
  if (was && !before) return [{ path, kind: now ? "changed" : "deleted" }];
  const after = isFile(now) ? parseJson(reader.bytes(path, JSON_BYTES)) : undefined;
  const keys = matchers.flatMap(({ protection, matches }) => {
    if (!matches(path) || (!was && protection.grows)) return [];
    return protection.key ? [protection.key] : [];
  });
  if (now && !after) {
    const broken = (key: readonly string[]): Difference => ({
      path,
      kind: "changed",
      value: { key, before: valueAt(before?.value, key), now: undefined },
    });
    return was ? keys.map(broken) : [];
  }
  return keys.flatMap((key) => compareValue(path, key, { before, now: after }));
}

/** The protected parts that changed, or that a new file contains. */
async function compareParts(
  path: string,
  { reader, sealed }: Comparison,
  matchers: readonly Matcher[],
): Promise<Difference[]> {
  const was = sealed.entries.get(path);
  const now = reader.entry(path);
  if (isEqual(was, now)) return [];
  const before = was && isFile(was) ? (await sealed.blob(was.id)).toString("utf8") : "";
  const after = isFile(now) ? (reader.bytes(path, JSON_BYTES)?.toString("utf8") ?? "") : "";
  return matchers.flatMap(({ protection: { part, grows }, matches }): Difference[] => {
    if (!part || !matches(path) || (!was && grows)) return [];
    const changes = changedPieces(part, before, after);
    if (changes.length === 0) return [];
    return [{ path, kind: was ? (now ? "changed" : "deleted") : "added", part: { of: part, changes } }];
  });
}

/** Compares the folder of the reader, the workspace or a copy of it, with the seal. */
export async function compareWithSeal(
  protections: ResolvedProtections,
  { dir, reader }: { readonly dir: string; readonly reader: FolderReader },
): Promise<Difference[]> {
  const { sealed, whole, keyed, parted } = protections;
  const comparison = { reader, sealed };
  const closed = whole.matchers.filter(({ protection }) => !protection.grows);
  const [closedNow = [], keyedNow = [], partedNow = []] = filesOfGroups(dir, [
    closed,
    keyed.matchers,
    parted.matchers,
  ]);
  const differences = compareFiles(comparison, whole, closedNow);
  const reported = new Set(differences.map(({ path }) => path));
  const unreported = ({ sealedPaths }: Group, now: readonly string[]) =>
    [...new Set([...sealedPaths, ...now])].filter((path) => !reported.has(path));
  for (const path of unreported(keyed, keyedNow))
    differences.push(...(await compareValues(path, comparison, keyed.matchers)));
  for (const path of unreported(parted, partedNow))
    differences.push(...(await compareParts(path, comparison, parted.matchers)));
  return differences.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

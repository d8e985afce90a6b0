// What is protected and no longer as it was sealed, by content.
import { changedPieces, type PieceChange } from "#classify/parts/parts";
import type { FilePart } from "#spec/task";
import type { FileChange } from "#spec/workspace";
import { type Json, parsed, same, valueAt } from "./json-value.ts";
import type { Matcher } from "./matcher.ts";
import { type Entry, type Looker, looker } from "./sealed-entry.ts";
import { filesMatching } from "./walk.ts";

export interface Sealed {
  readonly entries: ReadonlyMap<string, Entry>;
  /** The bytes of one file, kept at hand: a file with a protected value is asked for again and again. */
  blob(id: string): Promise<Buffer>;
  blobs(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

export interface Difference extends FileChange {
  /** Only this value of the file counts. */
  readonly value?: {
    readonly key: readonly string[];
    readonly before: unknown;
    /** Undefined as well when the file is not JSON any more. */
    readonly now: unknown;
  };
  /** Only this part of the file counts. */
  readonly part?: { readonly of: FilePart; readonly changes: readonly PieceChange[] };
}

/** Larger files are not read for a value in them. */
export const JSON_BYTES = 16 * 1024 * 1024;

const isFile = (entry: Entry | undefined): boolean => entry?.mode === "100644" || entry?.mode === "100755";

const equal = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one?.mode === other?.mode && one?.id === other?.id;

interface Comparison {
  readonly dir: string;
  readonly look: Looker;
  readonly sealed: Sealed;
}

function files({ dir, look, sealed }: Comparison, matchers: readonly Matcher[]): Difference[] {
  const were = [...sealed.entries].filter(([path]) => matchers.some((one) => one.matches(path)));
  const changed = were.flatMap(([path, was]): Difference[] => {
    const now = look.entry(path);
    return equal(now, was) ? [] : [{ path, kind: now ? "changed" : "deleted" }];
  });
  const closed = matchers.filter((one) => !one.protection.grows);
  const come = filesMatching(dir, closed).filter((path) => !sealed.entries.has(path));
  return [...changed, ...come.map((path): Difference => ({ path, kind: "added" }))];
}

function valueIn(path: string, key: readonly string[], before: Json | undefined, now: Json | undefined) {
  const value = { key, before: valueAt(before?.value, key), now: valueAt(now?.value, key) };
  if (same(value.before, value.now)) return [];
  const kind = value.before === undefined ? "added" : value.now === undefined ? "deleted" : "changed";
  return [{ path, kind, value } satisfies Difference];
}

async function valuesOf(
  path: string,
  { look, sealed }: Comparison,
  matchers: readonly Matcher[],
): Promise<Difference[]> {
  const was = sealed.entries.get(path);
  const now = look.entry(path);
  if (equal(was, now)) return [];
  const before = was && isFile(was) ? parsed(await sealed.blob(was.id)) : undefined;
  // There was no telling one value from the rest.
  if (was && !before) return [{ path, kind: now ? "changed" : "deleted" }];
  const after = isFile(now) ? parsed(look.bytes(path, JSON_BYTES)) : undefined;
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
  return keys.flatMap((key) => valueIn(path, key, before, after));
}

/** The parts of a file that changed, or that came in a new file. */
async function partsOf(
  path: string,
  { look, sealed }: Comparison,
  matchers: readonly Matcher[],
): Promise<Difference[]> {
  const was = sealed.entries.get(path);
  const now = look.entry(path);
  if (equal(was, now)) return [];
  const before = was && isFile(was) ? (await sealed.blob(was.id)).toString("utf8") : "";
  const after = isFile(now) ? (look.bytes(path, JSON_BYTES)?.toString("utf8") ?? "") : "";
  return matchers.flatMap(({ protection: { part, grows }, matches }): Difference[] => {
    if (!part || !matches(path) || (!was && grows)) return [];
    const changes = changedPieces(part, before, after);
    if (changes.length === 0) return [];
    return [{ path, kind: was ? (now ? "changed" : "deleted") : "added", part: { of: part, changes } }];
  });
}

/** Through `look`: in the workspace, or in a copy of it. */
export async function compare(
  dir: string,
  sealed: Sealed,
  matchers: readonly Matcher[],
  look: Looker = looker(dir),
): Promise<Difference[]> {
  const comparison = { dir, look, sealed };
  const keyed = matchers.filter(({ protection }) => protection.key);
  const parted = matchers.filter(({ protection }) => protection.part);
  const found = files(
    comparison,
    matchers.filter(({ protection }) => !protection.key && !protection.part),
  );
  const told = new Set(found.map(({ path }) => path));
  const pathsOf = (group: readonly Matcher[]) => {
    const were = [...sealed.entries.keys()].filter((path) => group.some((one) => one.matches(path)));
    const paths = new Set([...were, ...filesMatching(dir, group)]);
    return [...paths].filter((path) => !told.has(path));
  };
  for (const path of pathsOf(keyed)) found.push(...(await valuesOf(path, comparison, keyed)));
  for (const path of pathsOf(parted)) found.push(...(await partsOf(path, comparison, parted)));
  return found.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

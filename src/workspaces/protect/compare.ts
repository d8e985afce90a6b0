// Finds protected files, values and parts whose content differs from the seal.
import { changedPieces, type PieceChange } from "#classify/parts/parts";
import type { FilePart } from "#spec/task";
import type { FileChange } from "#spec/workspace";
import { type Json, parsed, same, valueAt } from "./json-value.ts";
import type { Matcher } from "./matcher.ts";
import type { Entry, Looker } from "./sealed-entry.ts";
import { filesOfGroups } from "./walk.ts";

export interface Sealed {
  readonly entries: ReadonlyMap<string, Entry>;
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

const isFile = (entry: Entry | undefined): boolean => entry?.mode === "100644" || entry?.mode === "100755";

const equal = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one?.mode === other?.mode && one?.id === other?.id;

/** Protections of one kind, with the sealed files that they match. */
interface Group {
  readonly matchers: readonly Matcher[];
  readonly were: readonly string[];
}

/** The protections resolved against a seal; computed once for all comparisons of a run. */
export interface Protected {
  readonly sealed: Sealed;
  /** Whole files. */
  readonly whole: Group;
  /** Values of JSON files. */
  readonly keyed: Group;
  readonly parted: Group;
}

export function protectedIn(sealed: Sealed, matchers: readonly Matcher[]): Protected {
  const group = (isMember: (one: Matcher) => boolean): Group => {
    const members = matchers.filter(isMember);
    const isMeant = (path: string) => members.some((one) => one.matches(path));
    return { matchers: members, were: [...sealed.entries.keys()].filter(isMeant) };
  };
  return {
    sealed,
    whole: group(({ protection }) => !protection.key && !protection.part),
    keyed: group(({ protection }) => protection.key !== undefined),
    parted: group(({ protection }) => protection.part !== undefined),
  };
}

interface Comparison {
  readonly look: Looker;
  readonly sealed: Sealed;
}

/** `there` are the present files of protections that allow no new files. */
function files({ look, sealed }: Comparison, { were }: Group, there: readonly string[]): Difference[] {
  const changed = were.flatMap((path): Difference[] => {
    const now = look.entry(path);
    return equal(now, sealed.entries.get(path)) ? [] : [{ path, kind: now ? "changed" : "deleted" }];
  });
  const come = there.filter((path) => !sealed.entries.has(path));
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
  // The sealed file is not JSON, so any change of it counts.
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

/** The protected parts that changed, or that a new file contains. */
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

/** Compares the workspace or a copy of it with the seal; `look` must read from the same `dir`. */
export async function compare(dir: string, given: Protected, look: Looker): Promise<Difference[]> {
  const { sealed, whole, keyed, parted } = given;
  const comparison = { look, sealed };
  const closed = whole.matchers.filter(({ protection }) => !protection.grows);
  const [closedNow = [], keyedNow = [], partedNow = []] = filesOfGroups(dir, [
    closed,
    keyed.matchers,
    parted.matchers,
  ]);
  const found = files(comparison, whole, closedNow);
  const told = new Set(found.map(({ path }) => path));
  const untold = ({ were }: Group, now: readonly string[]) =>
    [...new Set([...were, ...now])].filter((path) => !told.has(path));
  for (const path of untold(keyed, keyedNow))
    found.push(...(await valuesOf(path, comparison, keyed.matchers)));
  for (const path of untold(parted, partedNow))
    found.push(...(await partsOf(path, comparison, parted.matchers)));
  return found.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
}

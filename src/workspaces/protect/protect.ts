// Seals protected files byte for byte, detects changes on disk and restores the files.
import { ignoredFiles } from "#classify/shared/files";
import type { Protection } from "#spec/task";
import type { Workspace } from "#spec/workspace";
import { isAmong } from "../shadow/outputs.ts";
import { compare, type Difference, type Protected, protectedIn, type Sealed } from "./compare.ts";
import { matcher } from "./matcher.ts";
import { putBack } from "./put-back.ts";
import { type Entry, type EntryCache, idOf, type Looker, looker } from "./sealed-entry.ts";
import { type Stored, seals } from "./seals.ts";
import { shown } from "./show.ts";
import { userIndex } from "./user-index.ts";
import { filesMatching } from "./walk.ts";
import { sortWritten } from "./written.ts";

export interface ShadowPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The workspace. */
  readonly dir: string;
}

/** Lists the files to seal. Some protections skip what git ignores: caches and build output beside the tests. */
async function filesToSeal(dir: string, paths: readonly Protection[]): Promise<readonly string[]> {
  const matchers = paths.map(matcher);
  const found = filesMatching(dir, matchers);
  if (!paths.some(({ ignored }) => ignored)) return found;
  const free = await ignoredFiles(dir);
  const strict = matchers.filter(({ protection }) => !protection.ignored);
  return found.filter((file) => !free(file) || strict.some((one) => one.matches(file)));
}

const unreadable = (path: string): Error =>
  new Error(`cannot read ${path}, which is protected; make it readable, or leave it out of protect`);

function* read(dir: string, paths: readonly string[]): Generator<Stored> {
  const look = looker(dir);
  for (const path of paths) {
    const mode = look.entry(path)?.mode;
    const bytes = look.bytes(path);
    if (!bytes || !mode || mode === "other") throw unreadable(path);
    yield { path, mode, id: idOf(bytes), bytes };
  }
}

function entriesOf(dir: string, paths: readonly string[]): Map<string, Entry> {
  const look = looker(dir);
  return new Map(
    paths.map((path) => {
      const entry = look.entry(path);
      if (!entry || entry.mode === "other") throw unreadable(path);
      return [path, entry];
    }),
  );
}

type Protector = Pick<Workspace, "seal" | "tampering" | "mend" | "checkJudged" | "keepIndex" | "unstage">;

/** `outputs` are the paths that gates wrote at the baseline: they are not protected. */
export function protector({ gitDir, dir }: ShadowPlace, outputs: Set<string>): Protector {
  const store = seals(gitDir);
  const index = userIndex({ gitDir, dir, seals: store });
  const cache: EntryCache = new Map();
  const known = new Map<string, Promise<Sealed>>();
  let last:
    | { readonly seal: string; readonly paths: readonly Protection[]; readonly is: Protected }
    | undefined;

  const opened = async (seal: string, entries?: ReadonlyMap<string, Entry>): Promise<Sealed> => {
    const kept = new Map<string, Buffer>();
    const blob = async (id: string): Promise<Buffer> => {
      const bytes = kept.get(id) ?? (await store.blobs([id])).get(id) ?? Buffer.alloc(0);
      kept.set(id, bytes);
      return bytes;
    };
    return { entries: entries ?? (await store.list(seal)), blob, blobs: store.blobs };
  };
  const sealedAs = (seal: string): Promise<Sealed> => {
    const sealed = known.get(seal) ?? opened(seal);
    known.set(seal, sealed);
    return sealed;
  };

  /** Caches the compiled protections: a run passes the same list every time. */
  const protectedBy = async (seal: string, paths: readonly Protection[]): Promise<Protected> => {
    if (last?.seal !== seal || last.paths !== paths)
      last = { seal, paths, is: protectedIn(await sealedAs(seal), paths.map(matcher)) };
    return last.is;
  };

  const differences = async (
    seal: string,
    paths: readonly Protection[],
    look: Looker,
    there: string,
  ): Promise<Difference[]> => {
    const found = await compare(there, await protectedBy(seal, paths), look);
    return found.filter(({ path }) => !isAmong(path, outputs));
  };

  /** Refers to blobs that a snapshot has already stored; stores the files itself only when some are missing. */
  const sealFiles = async (paths: readonly string[]): Promise<string> => {
    const entries = entriesOf(dir, paths);
    const seal = await store.refer(entries);
    if (seal === undefined) return store.store(read(dir, paths));
    known.set(seal, opened(seal, entries));
    return seal;
  };

  return {
    ...index,
    seal: async (paths) => sealFiles(await filesToSeal(dir, paths)),
    tampering: async (seal, paths, there = dir) => {
      const found = await differences(seal, paths, looker(there), there);
      return found.length === 0 ? undefined : shown(there, seal, found, store);
    },
    mend: async (seal, paths, into = dir) => {
      await putBack(into, await differences(seal, paths, looker(into), into), await sealedAs(seal));
    },
    checkJudged: async ({ seal, paths, base, isBaseline }) => {
      const found = await differences(seal, paths, looker(dir, cache), dir);
      if (found.length === 0) return { changes: [], outputs: [], isToBeMended: false };
      const written = await sortWritten({ dir, gitDir, base, isBaseline }, found);
      for (const name of written.outputs) outputs.add(name);
      return written;
    },
  };
}

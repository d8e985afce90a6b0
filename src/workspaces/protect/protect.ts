// Seals protected files byte for byte, detects changes on disk, describes them and restores the files.
import { ignoredFiles } from "#classify/shared/files";
import type { Protection } from "#spec/task";
import type { FileChange, GateWrites, Tampering, Workspace } from "#spec/workspace";
import { git } from "#system/git";
import { secrets } from "#system/secrets/secrets";
import { head, plain } from "#text/plain-text";
import { protectionName } from "#text/protection-name";
import { isAmong, isToolMade, trackedFiles } from "../shadow/outputs.ts";
import {
  compareWithSeal,
  type Difference,
  type ResolvedProtections,
  resolveProtections,
  type SealedFiles,
} from "./compare.ts";
import { matcher } from "./matcher.ts";
import { putBack } from "./put-back.ts";
import { type FileToStore, openSeals, type Seals } from "./seals.ts";
import { blobId, type EntryCache, type FolderReader, folderReader, type TreeEntry } from "./tree-entry.ts";
import { userIndex } from "./user-index.ts";
import { filesMatching } from "./walk.ts";

export interface ShadowPlace {
  /** The shadow's git directory. */
  readonly gitDir: string;
  /** The workspace. */
  readonly dir: string;
}

/** Lists the files to seal. Some protections skip what git ignores: caches and build output beside the tests. */
async function filesToSeal(dir: string, paths: readonly Protection[]): Promise<readonly string[]> {
  const matchers = paths.map(matcher);
  const files = filesMatching(dir, matchers);
  if (!paths.some(({ ignored }) => ignored)) return files;
  const isIgnored = await ignoredFiles(dir);
  const strict = matchers.filter(({ protection }) => !protection.ignored);
  return files.filter((file) => !isIgnored(file) || strict.some((one) => one.matches(file)));
}

const unreadable = (path: string): Error =>
  new Error(`cannot read the protected file ${path}; make it readable, or leave it out of protect`);

function* readFiles(dir: string, paths: readonly string[]): Generator<FileToStore> {
  const reader = folderReader(dir);
  for (const path of paths) {
    const mode = reader.entry(path)?.mode;
    const bytes = reader.bytes(path);
    if (!bytes || !mode || mode === "other") throw unreadable(path);
    yield { path, mode, id: blobId(bytes), bytes };
  }
}

function readEntries(dir: string, paths: readonly string[]): Map<string, TreeEntry> {
  const reader = folderReader(dir);
  return new Map(
    paths.map((path) => {
      const entry = reader.entry(path);
      if (!entry || entry.mode === "other") throw unreadable(path);
      return [path, entry];
    }),
  );
}

const LISTED_CHANGES = 200;
const DIFF_CHARS = 20_000;
/** Larger files are truncated in the diff. */
const DIFF_FILE_BYTES = 4 * 1024 * 1024;

const signLines = (sign: string, text: string | undefined): string[] =>
  text === undefined ? [] : text.split("\n").map((line) => sign + line);

const formatJson = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value, null, 2);

/** The display name of a value or a part; the path for a whole file. */
function nameOf({ path, value, part }: Difference): string {
  if (value) return protectionName({ path, key: value.key });
  return part ? protectionName({ path, part: part.of }) : path;
}

/** Diff of a value or a part; git makes the diff of whole files. */
function diffOfPart(one: Difference): string {
  const { value, part } = one;
  if (!value && !part) return "";
  const changes = part?.changes ?? [{ before: formatJson(value?.before), now: formatJson(value?.now) }];
  const body = changes.flatMap(({ before, now }) => [...signLines("-", before), ...signLines("+", now)]);
  return [`--- ${nameOf(one)}`, `+++ ${nameOf(one)}`, ...body, ""].join("\n");
}

function* changedFiles(dir: string, differences: readonly Difference[]): Generator<FileToStore> {
  const reader = folderReader(dir);
  for (const { path } of differences) {
    const bytes = reader.bytes(path, DIFF_FILE_BYTES);
    const mode = reader.entry(path)?.mode ?? "other";
    yield bytes ? { path, mode, id: blobId(bytes), bytes } : { path, mode: "other", id: "" };
  }
}

/** Describes changes to protected files for people: names and a diff against the seal, with secrets masked. */
async function describeTampering(
  seals: Seals,
  seal: string,
  { dir, differences }: { readonly dir: string; readonly differences: readonly Difference[] },
): Promise<Tampering> {
  const listed = differences.slice(0, LISTED_CHANGES);
  const whole = listed.filter(({ value, part }) => !value && !part);
  const now = whole.length > 0 ? await seals.store(changedFiles(dir, whole), seal) : seal;
  const diff = now === seal ? "" : await seals.diff(seal, now);
  return {
    changes: listed.map((one): FileChange => ({ path: nameOf(one), kind: one.kind })),
    diff: head(plain(secrets.mask([...listed.map(diffOfPart), diff].join(""))), DIFF_CHARS),
  };
}

/** The files among `names` that a tree of the shadow contains. */
async function filesInTree(gitDir: string, tree: string, names: readonly string[]): Promise<Set<string>> {
  const args = ["ls-tree", "-r", "-z", "--name-only", tree, "--", ...names];
  const { code, stdout } = await git(args, { cwd: gitDir, gitDir });
  // When git fails, every file counts as captured, which is the stricter result.
  return new Set(code === 0 ? stdout.split("\0").filter(Boolean) : names);
}

interface JudgedState {
  /** The tree of the files before any work. */
  readonly base: string;
  readonly isBaseline: boolean;
}

/**
 * Sorts protected files that changed while a gate ran into outputs that it may write and changes that void its verdict.
 * At the baseline only gates have run, so untracked files that they write are outputs. Later, files that git ignored
 * from the start are restored silently, and every other change voids the verdict.
 */
async function sortGateWrites(
  { dir, gitDir }: ShadowPlace,
  { base, isBaseline }: JudgedState,
  differences: readonly Difference[],
): Promise<GateWrites> {
  const names = [...new Set(differences.map(({ path }) => path))];
  const tracked = await trackedFiles(dir, names);
  const captured = await filesInTree(gitDir, base, names);
  const isIgnored = ({ path, kind }: Difference) => kind !== "added" && !captured.has(path);
  const isOutput = (one: Difference) =>
    !one.value &&
    !one.part &&
    !tracked.has(one.path) &&
    (isBaseline ? one.kind === "added" || isIgnored(one) || isToolMade(one.path) : isIgnored(one));
  const changes = differences.filter((one) => !isOutput(one));
  const outputs = isBaseline ? differences.filter(isOutput).map(({ path }) => path) : [];
  return {
    changes: changes.map(({ path, kind }) => ({ path, kind })),
    outputs,
    isToBeMended: differences.length > outputs.length,
  };
}

interface SealCache {
  sealedFiles(seal: string): Promise<SealedFiles>;
  /** Adds a new seal whose entries are known. */
  add(seal: string, entries: ReadonlyMap<string, TreeEntry>): void;
  /** The protections resolved against the seal. A run passes the same list every time. */
  resolve(seal: string, paths: readonly Protection[]): Promise<ResolvedProtections>;
}

function sealCache(seals: Seals): SealCache {
  const opened = new Map<string, Promise<SealedFiles>>();
  let last: { seal: string; paths: readonly Protection[]; resolved: ResolvedProtections } | undefined;

  const open = (entries: ReadonlyMap<string, TreeEntry>): SealedFiles => {
    const cached = new Map<string, Buffer>();
    const blob = async (id: string): Promise<Buffer> => {
      const bytes = cached.get(id) ?? (await seals.blobs([id])).get(id) ?? Buffer.alloc(0);
      cached.set(id, bytes);
      return bytes;
    };
    return { entries, blob, blobs: seals.blobs };
  };
  const sealedFiles = (seal: string): Promise<SealedFiles> => {
    const sealed = opened.get(seal) ?? seals.list(seal).then(open);
    opened.set(seal, sealed);
    return sealed;
  };
  return {
    sealedFiles,
    add: (seal, entries) => {
      opened.set(seal, Promise.resolve(open(entries)));
    },
    resolve: async (seal, paths) => {
      if (last?.seal !== seal || last.paths !== paths) {
        const resolved = resolveProtections(await sealedFiles(seal), paths.map(matcher));
        last = { seal, paths, resolved };
      }
      return last.resolved;
    },
  };
}

type Protector = Pick<Workspace, "seal" | "tampering" | "mend" | "checkJudged" | "keepIndex" | "unstage">;

/** `outputs` are the paths that gates wrote at the baseline: they are not protected. */
export function protector(place: ShadowPlace, outputs: Set<string>): Protector {
  const { gitDir, dir } = place;
  const seals = openSeals(gitDir);
  const cache = sealCache(seals);
  const entries: EntryCache = new Map();

  const compare = async (
    seal: string,
    paths: readonly Protection[],
    folder: { readonly dir: string; readonly reader: FolderReader },
  ): Promise<Difference[]> => {
    const differences = await compareWithSeal(await cache.resolve(seal, paths), folder);
    return differences.filter(({ path }) => !isAmong(path, outputs));
  };

  /** Refers to blobs that a snapshot has already stored; stores the files itself only when some are missing. */
  const sealFiles = async (paths: readonly string[]): Promise<string> => {
    const current = readEntries(dir, paths);
    const seal = await seals.refer(current);
    if (seal === undefined) return seals.store(readFiles(dir, paths));
    cache.add(seal, current);
    return seal;
  };

  return {
    ...userIndex({ gitDir, dir, seals }),
    seal: async (paths) => sealFiles(await filesToSeal(dir, paths)),
    tampering: async (seal, paths, folder = dir) => {
      const differences = await compare(seal, paths, { dir: folder, reader: folderReader(folder) });
      if (differences.length === 0) return undefined;
      return describeTampering(seals, seal, { dir: folder, differences });
    },
    mend: async (seal, paths, folder = dir) => {
      const differences = await compare(seal, paths, { dir: folder, reader: folderReader(folder) });
      await putBack(folder, differences, await cache.sealedFiles(seal));
    },
    checkJudged: async ({ seal, paths, base, isBaseline }) => {
      const differences = await compare(seal, paths, { dir, reader: folderReader(dir, entries) });
      if (differences.length === 0) return { changes: [], outputs: [], isToBeMended: false };
      const writes = await sortGateWrites(place, { base, isBaseline }, differences);
      for (const name of writes.outputs) outputs.add(name);
      return writes;
    },
  };
}

// Cache of folders that set-up fills, for rooms with the same input. Folders are copied, never linked, so that no gate
// can modify the cache.
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { CleanRoom } from "#spec/task";
import { privateDir, removeAll } from "#system/files";
import { hashFile } from "#system/hash";
import { isBehindLink } from "#system/inside";

type CachedFolder = CleanRoom["cache"][number];

/** Beyond this, evicts the least recently used entries. */
const MAX_ENTRIES = 20;
/** Deletes partial entries of killed processes after this time. */
const ABANDONED_MS = 86_400_000;
const PARTIAL = "half-";

export interface Cache {
  /** Restores the room's folders from the cache; false, and none restored, unless all are cached. */
  fill(room: string): Promise<boolean>;
  /** Saves the room's folders; returns those that could not be saved, each with the reason. */
  keep(room: string): Promise<readonly string[]>;
}

export function openCache(dir: string, { cache, setup }: CleanRoom): Cache {
  const entryOf = (room: string, folder: CachedFolder) => path.join(dir, keyOf(room, folder, setup));
  return {
    fill: async (room) => {
      const copies = cache.map((folder) => ({
        from: entryOf(room, folder),
        to: path.join(room, folder.path),
      }));
      if (copies.length === 0 || !copies.every(({ from }) => fs.existsSync(from))) return false;
      if (!cache.every((folder) => isFree(room, folder.path))) return false;
      try {
        for (const { from, to } of copies) await copyFolder(from, to);
        for (const { from } of copies) fs.utimesSync(from, new Date(), new Date());
        return true;
      } catch {
        // The entry was pruned meanwhile, or the disk is full: a partial folder is worse than none.
        for (const { to } of copies) removeAll(to);
        return false;
      }
    },
    keep: async (room) => {
      privateDir(dir);
      const unsaved: string[] = [];
      for (const folder of cache) {
        const problem = await saveFolder({ room, name: folder.path }, entryOf(room, folder));
        if (problem) unsaved.push(`${folder.path}: ${problem}`);
      }
      prune(dir);
      return unsaved;
    },
  };
}

/** Cache key: the folder, the hashes of its key files, the set-up commands and the platform. */
function keyOf(room: string, { path: folder, key }: CachedFolder, setup: readonly string[]): string {
  const files = key.map((name) => [name, hashKeyFile(room, name)]);
  const input = [folder, files, setup, process.platform, process.arch, process.version];
  return createHash("sha256").update(JSON.stringify(input)).digest("hex");
}

/** Hashes a link by its target path, because the target is not part of the snapshot. */
function hashKeyFile(room: string, name: string): string {
  const file = path.join(room, name);
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink()) return `link ${fs.readlinkSync(file)}`;
  return stat ? hashFile(file) : "";
}

async function copyFolder(from: string, to: string): Promise<void> {
  await fs.promises.cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    errorOnExist: true,
    force: false,
    mode: fs.constants.COPYFILE_FICLONE,
  });
}

interface RoomFolder {
  readonly room: string;
  readonly name: string;
}

/** Atomic write: copies to a temporary name, then renames. Returns why it failed. */
async function saveFolder({ room, name }: RoomFolder, entry: string): Promise<string | undefined> {
  if (fs.existsSync(entry)) return undefined;
  if (!isFolder(room, name)) return "set-up did not create this folder";
  const partial = path.join(path.dirname(entry), PARTIAL + randomUUID());
  try {
    await copyFolder(path.join(room, name), partial);
    fs.utimesSync(partial, new Date(), new Date());
    fs.renameSync(partial, entry);
    return undefined;
  } catch (error) {
    removeAll(partial);
    // Another process may have saved the same entry first.
    return fs.existsSync(entry) ? undefined : (error as Error).message;
  }
}

function prune(dir: string): void {
  const entries = fs.readdirSync(dir).map((name) => {
    const used = fs.statSync(path.join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return { name, used };
  });
  const whole = entries.filter(({ name }) => !name.startsWith(PARTIAL)).sort((a, b) => b.used - a.used);
  const abandoned = entries.filter(
    ({ name, used }) => name.startsWith(PARTIAL) && used < Date.now() - ABANDONED_MS,
  );
  for (const { name } of [...whole.slice(MAX_ENTRIES), ...abandoned]) removeAll(path.join(dir, name));
}

/** Whether the path is unused and no link on the way leaves the room. */
function isFree(room: string, name: string): boolean {
  const stat = fs.lstatSync(path.join(room, name), { throwIfNoEntry: false });
  return stat === undefined && isReachable(room, path.dirname(name));
}

function isFolder(room: string, name: string): boolean {
  const stat = fs.lstatSync(path.join(room, name), { throwIfNoEntry: false });
  return stat?.isDirectory() === true && isReachable(room, name);
}

function isReachable(room: string, name: string): boolean {
  return fs.existsSync(path.join(room, name)) && !isBehindLink(room, name);
}

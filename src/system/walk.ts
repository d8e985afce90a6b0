// Walks a folder. Lists symbolic links without following them.
import fs from "node:fs";
import path from "node:path";

/** Folders without the project's own files. */
export const FOREIGN_FOLDERS: ReadonlySet<string> = new Set([".git", "node_modules"]);

export interface WalkedEntry {
  /** Path relative to the folder. */
  readonly name: string;
  readonly entry: fs.Dirent;
}

export interface WalkOptions {
  /** File names to leave out, with everything in them. */
  readonly skipped?: ReadonlySet<string>;
  /** Whether to list a folder, given its path relative to the start. Defaults to all. */
  readonly canEnter?: (name: string) => boolean;
  /** Called for a folder that cannot be listed, which then counts as empty. Without it, the error is thrown. */
  readonly onUnreadable?: (folder: string, error: NodeJS.ErrnoException) => void;
}

/** Yields every file, folder and link below `dir`, folders before their content. */
export function* walk(dir: string, options: WalkOptions = {}): Generator<WalkedEntry> {
  const { skipped, canEnter = () => true } = options;
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of entriesOf(path.join(dir, folder), options)) {
      if (skipped?.has(entry.name)) continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      yield { name, entry };
      if (entry.isDirectory() && canEnter(name)) folders.push(name);
    }
}

function entriesOf(folder: string, { onUnreadable }: WalkOptions): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (onUnreadable === undefined) throw error;
    onUnreadable(folder, error as NodeJS.ErrnoException);
    return [];
  }
}

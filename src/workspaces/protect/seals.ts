// Stores seals as trees in the shadow's object store, from bytes that Converge reads itself and with a temporary index.
import fs from "node:fs";
import path from "node:path";
import { privateDir, writePrivate } from "#system/files";
import { type GitShell, must, openGitShell } from "#system/git";
import type { TreeEntry } from "./tree-entry.ts";

export interface FileToStore {
  readonly path: string;
  readonly mode: TreeEntry["mode"];
  readonly id: string;
  /** Absent when the bytes are already stored. */
  readonly bytes?: Buffer;
}

export interface Seals {
  /** Writes the tree of these files. With `over` it extends that tree, and the mode "other" removes a file from it. */
  store(files: Iterable<FileToStore>, over?: string): Promise<string>;
  /** Writes the tree of files that are already stored; undefined when the bytes of some are missing. */
  refer(files: ReadonlyMap<string, TreeEntry>): Promise<string | undefined>;
  list(seal: string): Promise<Map<string, TreeEntry>>;
  blobs(ids: readonly string[]): Promise<Map<string, Buffer>>;
  /** A unified diff, truncated when it is too long. */
  diff(from: string, to: string): Promise<string>;
  /** Stores a text and returns its id. */
  keepText(text: string): Promise<string>;
  /** Reads a stored text; undefined when it is not in the store, as on another machine. */
  text(id: string): Promise<string | undefined>;
}

const DIFF_BYTES = 60_000;
const NO_BLOB = "0".repeat(40);

// $1 is a tree to start from. Expects a folder "bytes" of numbered files and a list "entries" of their tree entries.
// One "add" for all files makes them durable with one fsync instead of one each.
const STORE = `( cd bytes && GIT_WORK_TREE=. GIT_INDEX_FILE=../numbers git add --all --force . ) &&
{ [ -z "$1" ] || git read-tree "$1"; } &&
git update-index -z --add --replace --index-info < entries &&
git write-tree`;

// Fails when the blob of an entry is not in the store.
const REFER = "git update-index -z --add --index-info < entries && git write-tree";

const BLOBS = "git cat-file --batch < ids > blobs";

// No index and no work tree, so that .gitattributes of the agent cannot mark a test as binary.
const DIFF = `git diff --no-ext-diff --no-textconv --no-color --no-renames "$1" "$2" | head -c ${DIFF_BYTES}`;

function parseEntries(listing: string): Map<string, TreeEntry> {
  const lines = listing.split("\0").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [mode, , id = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      return [line.slice(line.indexOf("\t") + 1), { mode: mode as TreeEntry["mode"], id }];
    }),
  );
}

/** Parses `cat-file --batch`: "id blob size", the bytes and a line feed per blob. */
function parseBlobs(bytes: Buffer): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\n", at);
    const [id = "", kind, size] = bytes.toString("latin1", at, end).split(" ");
    if (kind !== "blob") throw new Error(`the protected content ${id} is missing in the shadow repository`);
    blobs.set(id, bytes.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return blobs;
}

let folders = 0;

/** Runs git in a temporary folder of its own, with an index of its own. */
async function withScratch<T>(
  gitDir: string,
  work: (shell: GitShell, folder: string) => Promise<T>,
): Promise<T> {
  const folder = path.join(gitDir, `protect.${process.pid}.${folders++}`);
  // Left by a killed process that had the same pid.
  fs.rmSync(folder, { recursive: true, force: true });
  privateDir(folder);
  const shell = openGitShell({ cwd: folder, gitDir, index: path.join(folder, "index") });
  try {
    return await work(shell, folder);
  } finally {
    shell.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

export function openSeals(gitDir: string): Seals {
  return {
    store: (files, over = "") =>
      withScratch(gitDir, async (shell, folder) => {
        const numbers = privateDir(path.join(folder, "bytes"));
        const entries: string[] = [];
        for (const { path: name, mode, id, bytes } of files) {
          if (bytes) fs.writeFileSync(path.join(numbers, String(entries.length)), bytes, { mode: 0o600 });
          entries.push(mode === "other" ? `0 ${NO_BLOB}\t${name}\0` : `${mode} ${id}\t${name}\0`);
        }
        writePrivate(path.join(folder, "entries"), entries.join(""));
        return must(await shell.script(STORE, [over]), "storing the protected files").trim();
      }),
    refer: (files) =>
      withScratch(gitDir, async (shell, folder) => {
        const lines = [...files].map(([name, { mode, id }]) => `${mode} ${id}\t${name}\0`);
        writePrivate(path.join(folder, "entries"), lines.join(""));
        const { code, stdout } = await shell.script(REFER);
        return code === 0 ? stdout.trim() : undefined;
      }),
    list: (seal) =>
      withScratch(gitDir, async (shell) =>
        parseEntries(must(await shell.git(["ls-tree", "-r", "-z", seal]), "reading the protected files")),
      ),
    blobs: (ids) =>
      withScratch(gitDir, async (shell, folder) => {
        writePrivate(path.join(folder, "ids"), ids.map((id) => `${id}\n`).join(""));
        must(await shell.script(BLOBS), "reading the protected files");
        return parseBlobs(fs.readFileSync(path.join(folder, "blobs")));
      }),
    keepText: (text) =>
      withScratch(gitDir, async (shell, folder) => {
        writePrivate(path.join(folder, "text"), text);
        const args = ["hash-object", "-w", "--no-filters", "text"];
        return must(await shell.git(args), "storing the index").trim();
      }),
    text: (id) =>
      withScratch(gitDir, async (shell) => {
        const { code, stdout } = await shell.git(["cat-file", "blob", id]);
        return code === 0 ? stdout : undefined;
      }),
    diff: (from, to) =>
      withScratch(gitDir, async (shell) =>
        must(await shell.script(DIFF, [from, to]), "comparing the protected files"),
      ),
  };
}

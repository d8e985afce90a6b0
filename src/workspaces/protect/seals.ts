// Stores seals as trees in the shadow's object store, from bytes that Converge reads itself and with a temporary index.
import fs from "node:fs";
import path from "node:path";
import { privateDir, writePrivate } from "#system/files";
import { type GitShell, must, openGitShell } from "#system/git";
import type { Entry } from "./sealed-entry.ts";

export interface Stored {
  readonly path: string;
  readonly mode: Entry["mode"];
  readonly id: string;
  /** Absent when the bytes are already stored. */
  readonly bytes?: Buffer;
}

export interface Seals {
  /** Writes the tree of these files. With `over` it extends that tree, and the mode "other" removes a file from it. */
  store(files: Iterable<Stored>, over?: string): Promise<string>;
  /** Writes the tree of files that are already stored; undefined when the bytes of some are missing. */
  refer(files: ReadonlyMap<string, Entry>): Promise<string | undefined>;
  list(seal: string): Promise<Map<string, Entry>>;
  blobs(ids: readonly string[]): Promise<Map<string, Buffer>>;
  /** A unified diff, truncated when it is too long. */
  diff(from: string, to: string): Promise<string>;
  /** Stores a text and returns its id. */
  keepText(text: string): Promise<string>;
  /** Reads a stored text; undefined when it is not in the store, as on another machine. */
  text(id: string): Promise<string | undefined>;
}

const DIFF_BYTES = 60_000;
const NOTHING = "0".repeat(40);

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

function entriesOf(listing: string): Map<string, Entry> {
  const lines = listing.split("\0").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [mode, , id = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      return [line.slice(line.indexOf("\t") + 1), { mode: mode as Entry["mode"], id }];
    }),
  );
}

/** Parses `cat-file --batch`: "id blob size", the bytes and a line feed per blob. */
function blobsIn(bytes: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\n", at);
    const [id = "", kind, size] = bytes.toString("latin1", at, end).split(" ");
    if (kind !== "blob") throw new Error(`the shadow has lost ${id}, which is protected`);
    found.set(id, bytes.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return found;
}

let places = 0;

export function seals(gitDir: string): Seals {
  const inPlace = async <T>(work: (shell: GitShell, place: string) => Promise<T>): Promise<T> => {
    const place = path.join(gitDir, `protect.${process.pid}.${places++}`);
    // Left by a killed process that had the same pid.
    fs.rmSync(place, { recursive: true, force: true });
    privateDir(place);
    const shell = openGitShell({ cwd: place, gitDir, index: path.join(place, "index") });
    try {
      return await work(shell, place);
    } finally {
      shell.close();
      fs.rmSync(place, { recursive: true, force: true });
    }
  };

  return {
    store: (files, over = "") =>
      inPlace(async (shell, place) => {
        const numbers = privateDir(path.join(place, "bytes"));
        const entries: string[] = [];
        for (const { path: name, mode, id, bytes } of files) {
          if (bytes) fs.writeFileSync(path.join(numbers, String(entries.length)), bytes, { mode: 0o600 });
          entries.push(mode === "other" ? `0 ${NOTHING}\t${name}\0` : `${mode} ${id}\t${name}\0`);
        }
        writePrivate(path.join(place, "entries"), entries.join(""));
        return must(await shell.script(STORE, [over]), "keeping what is protected").trim();
      }),
    refer: (files) =>
      inPlace(async (shell, place) => {
        const lines = [...files].map(([name, { mode, id }]) => `${mode} ${id}\t${name}\0`);
        writePrivate(path.join(place, "entries"), lines.join(""));
        const { code, stdout } = await shell.script(REFER);
        return code === 0 ? stdout.trim() : undefined;
      }),
    list: (seal) =>
      inPlace(async (shell) =>
        entriesOf(must(await shell.git(["ls-tree", "-r", "-z", seal]), "reading what is protected")),
      ),
    blobs: (ids) =>
      inPlace(async (shell, place) => {
        writePrivate(path.join(place, "ids"), ids.map((id) => `${id}\n`).join(""));
        must(await shell.script(BLOBS), "reading what is protected");
        return blobsIn(fs.readFileSync(path.join(place, "blobs")));
      }),
    keepText: (text) =>
      inPlace(async (shell, place) => {
        writePrivate(path.join(place, "text"), text);
        const args = ["hash-object", "-w", "--no-filters", "text"];
        return must(await shell.git(args), "keeping the index").trim();
      }),
    text: (id) =>
      inPlace(async (shell) => {
        const { code, stdout } = await shell.git(["cat-file", "blob", id]);
        return code === 0 ? stdout : undefined;
      }),
    diff: (from, to) =>
      inPlace(async (shell) => must(await shell.script(DIFF, [from, to]), "comparing what is protected")),
  };
}

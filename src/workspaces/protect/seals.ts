// Seals are trees in the shadow's object store, made from bytes that we read ourselves, with an index of their own.
import fs from "node:fs";
import path from "node:path";
import { privateDir, writePrivate } from "#system/files";
import { type GitShell, must, openGitShell } from "#system/git";
import type { Entry } from "./sealed-entry.ts";

export interface Stored {
  readonly path: string;
  readonly mode: Entry["mode"];
  readonly id: string;
  /** None when the bytes are in the store already. */
  readonly bytes?: Buffer;
}

export interface Seals {
  /** The tree of these files; laid over another one, "other" takes a file out of it. */
  store(files: Iterable<Stored>, over?: string): Promise<string>;
  /** The tree of files whose bytes are all in the store already; undefined when some are not. */
  refer(files: ReadonlyMap<string, Entry>): Promise<string | undefined>;
  list(seal: string): Promise<Map<string, Entry>>;
  blobs(ids: readonly string[]): Promise<Map<string, Buffer>>;
  /** A unified diff, or its beginning. */
  diff(from: string, to: string): Promise<string>;
  /** Keeps a text, and names it. */
  keepText(text: string): Promise<string>;
  /** A text that was kept; undefined where it never was, as on another machine. */
  text(id: string): Promise<string | undefined>;
}

const DIFF_BYTES = 60_000;
const NOTHING = "0".repeat(40);

// $1 is a tree to start from. Works beside a folder with the bytes, named by numbers, and a list of what they are.
// The bytes go in by one "add", which makes them durable together; alone, each would wait for the disk.
const STORE = `( cd bytes && GIT_WORK_TREE=. GIT_INDEX_FILE=../numbers git add --all --force . ) &&
{ [ -z "$1" ] || git read-tree "$1"; } &&
git update-index -z --add --replace --index-info < entries &&
git write-tree`;

// Fails when the bytes of an entry are not in the store.
const REFER = "git update-index -z --add --index-info < entries && git write-tree";

const BLOBS = "git cat-file --batch < ids > blobs";

// No index and no work tree: attributes that the agent wrote cannot call a test binary.
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

/** "id blob size", the bytes and a line end, for each. */
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
    // Left by a process that was killed and had the same number.
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

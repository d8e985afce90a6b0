// Writes, reads and deletes files for the workspace suite, byte by byte.
import fs from "node:fs";
import path from "node:path";

interface Entry {
  readonly bytes?: string | Uint8Array;
  readonly executable?: boolean;
  /** Target of a symbolic link. */
  readonly link?: string;
}

export type Files = Readonly<Record<string, Entry>>;

export function write(dir: string, files: Files): void {
  for (const [name, { bytes = "", executable = false, link }] of Object.entries(files)) {
    const file = path.join(dir, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.rmSync(file, { recursive: true, force: true });
    if (link !== undefined) fs.symlinkSync(link, file);
    else fs.writeFileSync(file, bytes, { mode: executable ? 0o755 : 0o644 });
  }
}

function entryOf(file: string): string {
  const stat = fs.lstatSync(file);
  if (stat.isSymbolicLink()) return `link to ${fs.readlinkSync(file)}`;
  return `${stat.mode & 0o100 ? "executable" : "file"} ${fs.readFileSync(file).toString("latin1")}`;
}

/** Reads every file of the folder with its kind and content, except .git. */
export function contents(dir: string, folder = ""): Record<string, string> {
  const names = fs.readdirSync(path.join(dir, folder)).filter((name) => name !== ".git");
  const entries = names.flatMap((name): [string, string][] => {
    const inner = path.join(folder, name);
    const file = path.join(dir, inner);
    return fs.lstatSync(file).isDirectory() ? Object.entries(contents(dir, inner)) : [[inner, entryOf(file)]];
  });
  return Object.fromEntries(entries);
}

export function clear(dir: string): void {
  for (const name of fs.readdirSync(dir))
    if (name !== ".git") fs.rmSync(path.join(dir, name), { recursive: true, force: true });
}

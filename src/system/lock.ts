// A lock that the operating system frees when its holder dies: a write transaction held open on a small SQLite file.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { privateDir, writePrivate } from "./files.ts";
import { type Database, isBusy, openDatabase } from "./sqlite.ts";

export interface Holder {
  readonly run: string;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

export type Locked =
  /** `died` had it before us and never gave it back: the system took it away. */
  | { readonly held: true; readonly died?: Holder; release(): void }
  /** Somebody else has it; `holder` is absent in the moment before they have written their name. */
  | { readonly held: false; readonly holder?: Holder };

/** Kept from the garbage collector, which would close the file and free the lock of a caller that is still at work. */
const held = new Set<Database>();

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Takes the lock `name` in `dir` for the run, or says who holds it. Waits only long enough for someone's look to be over. */
export function takeLock(dir: string, name: string, run: string): Locked {
  privateDir(dir);
  const file = path.join(dir, `${name}.lock`);
  const holderFile = path.join(dir, `${name}.json`);
  const database = openDatabase(file);
  try {
    database.exec("PRAGMA busy_timeout=300; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    const holder = readHolder(holderFile);
    return holder ? { held: false, holder } : { held: false };
  }
  held.add(database);
  const died = readHolder(holderFile);
  const holder: Holder = { run, pid: process.pid, host: os.hostname(), since: new Date().toISOString() };
  writePrivate(holderFile, JSON.stringify(holder));
  return {
    held: true,
    ...(died && { died }),
    release: () => {
      fs.rmSync(holderFile, { force: true });
      held.delete(database);
      database.close();
    },
  };
}

/** Who holds the lock now, if anybody. */
export function lockHolder(dir: string, name: string): Holder | "unknown" | undefined {
  if (!fs.existsSync(path.join(dir, `${name}.lock`))) return undefined;
  const database = openDatabase(path.join(dir, `${name}.lock`));
  try {
    database.exec("PRAGMA busy_timeout=0; SELECT count(*) FROM sqlite_master");
    return undefined;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return readHolder(path.join(dir, `${name}.json`)) ?? "unknown";
  } finally {
    database.close();
  }
}

// A lock that the operating system frees when its holder dies: a write transaction held open on a small SQLite file.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { privateDir, writePrivate } from "./files.ts";
import { openDatabase } from "./sqlite.ts";

export interface Holder {
  readonly run: string;
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

export type Locked =
  | { readonly held: true; release(): void }
  /** Somebody else has it; `holder` is absent in the moment before they have written their name. */
  | { readonly held: false; readonly holder?: Holder };

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function isBusy(error: unknown): boolean {
  return /locked|busy/i.test((error as Error).message);
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
  const holder: Holder = { run, pid: process.pid, host: os.hostname(), since: new Date().toISOString() };
  writePrivate(holderFile, JSON.stringify(holder));
  return {
    held: true,
    release: () => {
      fs.rmSync(holderFile, { force: true });
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

// A file lock that the operating system releases when its holder dies: an open write transaction on a small SQLite file.
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
  /** `died` held the lock before and never released it: it crashed. */
  | { readonly held: true; readonly died?: Holder; release(): void }
  /** Another process holds the lock; `holder` is absent until that process has written its name. */
  | { readonly held: false; readonly holder?: Holder };

/** References that stop the garbage collector from closing the file, which would release a lock still in use. */
const openLocks = new Set<Database>();

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Takes the lock `name` in `dir` for the run, or reports its holder. Waits just long enough for a lockHolder() call to end. */
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
  openLocks.add(database);
  const died = readHolder(holderFile);
  const holder: Holder = { run, pid: process.pid, host: os.hostname(), since: new Date().toISOString() };
  writePrivate(holderFile, JSON.stringify(holder));
  return {
    held: true,
    ...(died && { died }),
    release: () => {
      fs.rmSync(holderFile, { force: true });
      openLocks.delete(database);
      database.close();
    },
  };
}

/** Returns the current holder of the lock, if any. */
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

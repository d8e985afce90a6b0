// Whose logs these are, and which names of logs are believed: one from a database could be any path.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Home } from "./home.ts";

/** Iteration, folder of the part, perhaps the number of a gate's run, stream: what `partDir` and the logs in it are called. */
const NAME = /^(\d{1,9})\/[A-Za-z0-9_-]{1,60}\/([1-9]\d{0,2}\/)?(transcript|stdout|stderr)\.log$/;

/** The iteration that a log belongs to; undefined when no log of ours has such a name. */
export function iterationOf(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Its name in the folder of the run, on every system. */
export function nameOf(home: Home, run: string, file: string): string {
  return path.relative(home.runDir(run), file).split(path.sep).join("/");
}

/** The state folder, among those of all machines. */
export function originOf(home: Home): string {
  return `${os.hostname()}:${fs.existsSync(home.dir) ? fs.realpathSync(home.dir) : home.dir}`;
}

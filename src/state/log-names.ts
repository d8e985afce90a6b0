// Validates and builds log names: a name from a shared database could be any path.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Home } from "./home.ts";

/** ITERATION/PART/[GATE RUN/]STREAM.log, as `partDir` and the writers of logs name them. */
const NAME = /^(\d{1,9})\/[A-Za-z0-9_-]{1,60}\/([1-9]\d{0,2}\/)?(transcript|stdout|stderr)\.log$/;

/** Parses the iteration out of a log name; undefined when the name is not valid. */
export function iterationOf(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The log's path relative to the run's folder, with forward slashes on every system. */
export function nameOf(home: Home, run: string, file: string): string {
  return path.relative(home.runDir(run), file).split(path.sep).join("/");
}

/** Identifies this state folder among those of all machines. */
export function originOf(home: Home): string {
  return `${os.hostname()}:${fs.existsSync(home.dir) ? fs.realpathSync(home.dir) : home.dir}`;
}

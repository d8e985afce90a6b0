// Detects a changed file without reading it.
import fs from "node:fs";
import { stateOf } from "#system/hash";

/** Undefined when there is no such file; a link is not followed. */
export function fileMark(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat && stateOf(stat);
}

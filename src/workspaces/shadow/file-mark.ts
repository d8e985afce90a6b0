// Detects a changed file without reading it.
import fs from "node:fs";
import { stateOf } from "#system/hash";

/** Returns undefined when the file does not exist; does not follow a link. */
export function fileMark(file: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stat && stateOf(stat);
}

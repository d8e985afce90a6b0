// The command that runs another one shut off.
import { bwrapped } from "./bwrap.ts";
import type { Enclosed, Enclosure } from "./enclosure.ts";
import { srtWrapped } from "./srt.ts";

/** `folder` is a private one for files that the enclosing program needs. */
export function enclose(
  program: readonly string[],
  cwd: string,
  enclosure: Enclosure,
  folder: string,
): Enclosed {
  return enclosure.by === "bwrap"
    ? bwrapped(program, cwd, enclosure)
    : srtWrapped(program, cwd, enclosure, folder);
}

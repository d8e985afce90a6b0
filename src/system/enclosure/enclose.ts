// Wraps a command so that it runs in a sandbox.
import { wrapWithBwrap } from "./bwrap.ts";
import type { Enclosed, Enclosure } from "./enclosure.ts";
import { wrapWithSrt } from "./srt.ts";

/** `folder` is private and holds files that the sandbox program needs, such as its settings. */
export function enclose(
  program: readonly string[],
  cwd: string,
  enclosure: Enclosure,
  folder: string,
): Enclosed {
  return enclosure.by === "bwrap"
    ? wrapWithBwrap(program, cwd, enclosure)
    : wrapWithSrt(program, cwd, enclosure, folder);
}

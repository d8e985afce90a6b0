// Chooses the files of a diff that are open at first.
import type { DiffFile } from "./parse.ts";

const MOST_LINES = 500;
const MOST_IN_ONE = 300;

export function openFirst(files: readonly DiffFile[]): ReadonlySet<number> {
  const open = new Set<number>();
  let lines = 0;
  for (const [at, { hunks }] of files.entries()) {
    const own = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    if (own > MOST_IN_ONE && files.length > 1) continue;
    lines += own;
    if (lines > MOST_LINES && open.size > 0) break;
    open.add(at);
  }
  return open;
}

// Selects the files of a rule and finds lines that match its pattern. Has a timeout, because names, texts and patterns
// are untrusted.
import picomatch from "picomatch";
import { readInside } from "#system/files-inside";
import { runWithTimeout } from "#system/sync-timeout";
import type { CheckContext } from "./level.ts";

export interface Selection {
  /** Globs, relative to the workspace. */
  readonly files: readonly string[];
  readonly except: readonly string[];
}

export interface Match {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const GLOBS = { dot: true };
const SELECT_MS = 10_000;
const MATCH_MS = 2_000;
const SEARCHED_BYTES = 16 * 1024 * 1024;

/** Whether the path is a glob. */
export const isGlob = (path: string): boolean => picomatch.scan(path).isGlob;

export async function select(
  context: CheckContext,
  { files, except }: Selection,
): Promise<readonly string[]> {
  const all = await context.files();
  return runWithTimeout(SELECT_MS, () => {
    const isSelected = picomatch([...files], GLOBS);
    const isExcepted = picomatch([...except], GLOBS);
    return all.filter((file) => isSelected(file) && !isExcepted(file));
  });
}

/** The first matching line of each selected file, and the number of further matches in it. */
export async function search(
  context: CheckContext,
  selection: Selection,
  pattern: RegExp,
): Promise<readonly (Match & { readonly more: number })[]> {
  const matches: (Match & { readonly more: number })[] = [];
  for (const file of await select(context, selection)) {
    if (context.signal.aborted) throw new Error("interrupted");
    const [first, ...rest] = await matchesIn(context, file, pattern);
    if (first) matches.push({ ...first, more: rest.length });
  }
  return matches;
}

async function matchesIn(context: CheckContext, file: string, pattern: RegExp): Promise<readonly Match[]> {
  const text = (await readInside(context.request.dir, file, SEARCHED_BYTES)).toString("utf8");
  const lines = text.split(/\r?\n/);
  return withFileName(file, () =>
    runWithTimeout(MATCH_MS, () =>
      lines.flatMap((line, index) =>
        pattern.test(line) ? [{ file, line: index + 1, text: line.trim() }] : [],
      ),
    ),
  );
}

/** Adds the file name to errors. */
function withFileName<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}

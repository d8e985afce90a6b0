// Highlights both sides of a diff separately, because only each side alone is valid code.
import { highlighted, languageOf, type Word } from "./highlight.ts";
import type { DiffFile, DiffLine, Hunk } from "./parse.ts";

export type Words = ReadonlyMap<DiffLine, readonly Word[]>;

function side(
  { lines }: Hunk,
  without: DiffLine["kind"],
  language: string,
  into: Map<DiffLine, readonly Word[]>,
) {
  const own = lines.filter(({ kind }) => kind !== without);
  const rows = highlighted(
    own.map(({ text }) => text),
    language,
  );
  for (const [at, line] of own.entries()) into.set(line, rows[at] ?? []);
}

/** Empty for an unknown language. */
export function coloured({ path, hunks }: DiffFile): Words {
  const words = new Map<DiffLine, readonly Word[]>();
  const language = languageOf(path);
  if (language === undefined) return words;
  for (const hunk of hunks) {
    side(hunk, "added", language, words);
    side(hunk, "removed", language, words);
  }
  return words;
}

// Highlights both sides of a diff separately, because only each side alone is valid code.
import { highlighted, languageOf, type Word } from "./highlight.ts";
import type { DiffFile, DiffLine } from "./parse.ts";

export type Words = ReadonlyMap<DiffLine, readonly Word[]>;

/** The words of the lines of one side. */
function highlightSide(lines: readonly DiffLine[], language: string): [DiffLine, readonly Word[]][] {
  const rows = highlighted(
    lines.map(({ text }) => text),
    language,
  );
  return lines.map((line, at) => [line, rows[at] ?? []]);
}

/** Empty for an unknown language. */
export function coloured({ path, hunks }: DiffFile): Words {
  const language = languageOf(path);
  if (language === undefined) return new Map();
  return new Map(
    hunks.flatMap(({ lines }) =>
      (["added", "removed"] as const).flatMap((other) =>
        highlightSide(
          lines.filter(({ kind }) => kind !== other),
          language,
        ),
      ),
    ),
  );
}

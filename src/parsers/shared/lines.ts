// Splits text into lines of limited length, so that no pattern is slow on them.
const LONGEST = 4_000;

export function linesOf(text: string): readonly string[] {
  return text.split("\n").map((line) => (line.length > LONGEST ? line.slice(0, LONGEST) : line));
}

/** Joins the lines without their common indentation. */
export function dedent(lines: readonly string[]): string {
  const indents = lines
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const shared = indents.reduce((least, indent) => Math.min(least, indent), LONGEST);
  return lines.map((line) => line.slice(shared)).join("\n");
}

/** The lines before the first match. */
export function until(lines: readonly string[], stop: RegExp): readonly string[] {
  const end = lines.findIndex((line) => stop.test(line));
  return end < 0 ? lines : lines.slice(0, end);
}

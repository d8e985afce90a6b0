// Suggests the known name that a user meant by a mistyped one, and builds the error message.
import { head, plain } from "./plain-text.ts";

/** Longer names are not compared: they are no typos, and the comparison is quadratic. */
const MAX_NAME_CHARS = 64;

const foldName = (name: string) => name.toLowerCase().replace(/[-_ ]/g, "");

/** The known name with the smallest edit distance (a swap of neighbours counts as one); undefined when none is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_CHARS) return undefined;
  const typed = foldName(name);
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of known) {
    if (candidate.length > MAX_NAME_CHARS) continue;
    const other = foldName(candidate);
    const edits = editDistance(typed, other);
    const allowed = Math.max(1, Math.floor(Math.min(typed.length, other.length) / 3));
    if (edits <= allowed && edits < other.length && edits < (best?.edits ?? Infinity))
      best = { name: candidate, edits };
  }
  return best?.name;
}

/** A name as a user typed it, and the part of a file that it is in. */
export interface TypedName {
  readonly name: string;
  readonly where?: string;
}

/** `unknown key "iteratons" in limits; did you mean "iterations"? (known: iterations, time)` */
export function unknownName(what: string, typed: string | TypedName, known: readonly string[]): string {
  const { name, where = "" } = typeof typed === "string" ? { name: typed } : typed;
  const near = nearest(name, known);
  const place = where && ` in ${where}`;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  const list = known.length > 0 ? `known: ${known.join(", ")}` : "there are none";
  return `unknown ${what} "${head(plain(name), MAX_NAME_CHARS)}"${place}${hint} (${list})`;
}

function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

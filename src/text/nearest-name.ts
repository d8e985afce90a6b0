// Names people mistype: which known one they meant, and the sentence that says so.
import { head, plain } from "./plain-text.ts";

/** Longer names are never compared: they are not slips of the finger, and comparing costs length squared. */
const LONGEST = 64;

const folded = (name: string) => name.toLowerCase().replace(/[-_ ]/g, "");

/** The known name closest to `name` by edits (a swap of neighbours counts as one); undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const wanted = folded(name);
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const candidate of known) {
    if (candidate.length > LONGEST) continue;
    const other = folded(candidate);
    const edits = editsBetween(wanted, other);
    const allowed = Math.max(1, Math.floor(Math.min(wanted.length, other.length) / 3));
    if (edits <= allowed && edits < other.length && edits < (best?.edits ?? Infinity))
      best = { name: candidate, edits };
  }
  return best?.name;
}

/** `unknown key "iteratons" in limits; did you mean "iterations"? (known: iterations, time)` */
export function unknownName(what: string, name: string, known: readonly string[], where = ""): string {
  const near = nearest(name, known);
  const place = where && ` in ${where}`;
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  const list = known.length > 0 ? `known: ${known.join(", ")}` : "there are none";
  return `unknown ${what} "${head(plain(name), LONGEST)}"${place}${hint} (${list})`;
}

function editsBetween(a: string, b: string): number {
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

// Finding a text in the rows that are loaded.
import type { Window } from "./window.ts";

/** More places than this are of no use to anybody. */
export const MOST_FOUND = 5000;

/** Numbers of the rows that hold the text, capitals or not, counted from the first row loaded. */
export function rowsWith({ pieces }: Window, text: string): readonly number[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return [];
  const found: number[] = [];
  let at = 0;
  for (const { rows } of pieces)
    for (const row of rows) {
      if (row.toLowerCase().includes(wanted)) found.push(at);
      if (found.length >= MOST_FOUND) return found;
      at++;
    }
  return found;
}

/** A row as parts, every second of which is the text. */
export function split(row: string, text: string): readonly string[] {
  if (text === "") return [row];
  const lower = row.toLowerCase();
  const wanted = text.toLowerCase();
  // Some capitals become longer when they are made small; places would not fit then.
  if (lower.length !== row.length) return [row];
  const parts: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(row.slice(from, at), row.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, row.slice(from)];
}

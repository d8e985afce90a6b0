// Finding a text in the rows that are loaded.
import type { Window } from "./window.ts";

/** More places than this are of no use to anybody. */
const MOST_FOUND = 5000;

export interface Found {
  /** Number of the row, counted from the first one loaded: another one when pieces come and go. */
  readonly at: number;
  /** Which row it is, whatever else is loaded. */
  readonly key: string;
}

export const rowKey = (from: number, row: number): string => `${from}.${row}`;

/** The rows that hold the text, capitals or not. */
export function rowsWith({ pieces }: Window, text: string): readonly Found[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return [];
  const found: Found[] = [];
  let before = 0;
  for (const { from, rows } of pieces) {
    for (const [row, line] of rows.entries()) {
      if (line.toLowerCase().includes(wanted)) found.push({ at: before + row, key: rowKey(from, row) });
      if (found.length >= MOST_FOUND) return found;
    }
    before += rows.length;
  }
  return found;
}

/** The place after or before the current one, round and round; without one, the nearest to the row that is looked at. */
export function step(found: readonly Found[], current: number, by: 1 | -1, seen: number): Found | undefined {
  if (current >= 0) return found[(current + by + found.length) % found.length];
  if (by < 0) return found.findLast(({ at }) => at < seen) ?? found.at(-1);
  return found.find(({ at }) => at >= seen) ?? found[0];
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

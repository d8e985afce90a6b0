// Text search in the loaded rows.
import type { Window } from "./window.ts";

/** Limit of matches. */
const MOST_FOUND = 5000;

export interface Found {
  /** Row number from the first loaded row; changes when pieces are loaded or dropped. */
  readonly at: number;
  /** Identifies the row, whatever else is loaded. */
  readonly key: string;
}

export const rowKey = (from: number, row: number): string => `${from}.${row}`;

/** The rows that contain the text, ignoring case. */
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

/** The next or previous match, wrapping around; without a current match, the one nearest to the visible row. */
export function step(
  found: readonly Found[],
  by: 1 | -1,
  { current, visible }: { readonly current: number; readonly visible: number },
): Found | undefined {
  if (current >= 0) return found[(current + by + found.length) % found.length];
  if (by < 0) return found.findLast(({ at }) => at < visible) ?? found.at(-1);
  return found.find(({ at }) => at >= visible) ?? found[0];
}

/** Splits a row so that every second part is a match. */
export function split(row: string, text: string): readonly string[] {
  if (text === "") return [row];
  const lower = row.toLowerCase();
  const wanted = text.toLowerCase();
  // Some letters change length in lower case, which would shift the offsets.
  if (lower.length !== row.length) return [row];
  const parts: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(row.slice(from, at), row.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, row.slice(from)];
}

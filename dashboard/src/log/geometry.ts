// Virtual scrolling of a log: where the loaded rows are in a space as high as the whole log, and what to load next.
import { end, PIECE_BYTES, rowCount, start, type Window } from "./window.ts";

export interface View {
  readonly top: number;
  readonly height: number;
  readonly row: number;
}

/** Browsers limit the height of an element to about 17 million pixels. */
const MAX_HEIGHT = 8_000_000;
/** Rows beyond the visible ones that are drawn and loaded ahead. */
const DRAWN_AHEAD = 20;
const LOADED_AHEAD = 100;
const ROW_BYTES = 64;

/** Height of a byte that is not loaded. */
const perByte = ({ bytes }: Window, row: number) =>
  Math.min(row / ROW_BYTES, MAX_HEIGHT / Math.max(bytes, 1));

export interface Space {
  readonly above: number;
  readonly inside: number;
  readonly below: number;
}

export function spaceOf(window: Window, row: number): Space {
  const k = perByte(window, row);
  return {
    above: start(window) * k,
    inside: rowCount(window) * row,
    below: Math.max(window.bytes - end(window), 0) * k,
  };
}

/** The visible rows, counted from the first loaded one; may lie outside of what is loaded. */
function seen(window: Window, { top, height, row }: View): { first: number; last: number } {
  const { above } = spaceOf(window, row);
  return { first: Math.floor((top - above) / row), last: Math.ceil((top + height - above) / row) };
}

export function drawn(window: Window, view: View): { first: number; last: number } {
  const { first, last } = seen(window, view);
  const total = rowCount(window);
  return {
    first: Math.min(Math.max(first - DRAWN_AHEAD, 0), total),
    last: Math.max(Math.min(last + DRAWN_AHEAD, total), 0),
  };
}

/** The rows that must stay loaded. */
export function kept(window: Window, view: View): { first: number; last: number } {
  const { first, last } = seen(window, view);
  return { first: first - LOADED_AHEAD, last: last + LOADED_AHEAD };
}

export interface Wanted {
  readonly from: number;
  readonly bytes: number;
}

/** What to load next; undefined when everything near is loaded. */
export function wanted(window: Window, view: View): Wanted | undefined {
  const { bytes } = window;
  const { above, inside } = spaceOf(window, view.row);
  const { first, last } = kept(window, view);
  const from = start(window);
  const to = end(window);
  const bottom = above + inside;
  if (from > 0 && view.top + view.height < above) return at(view.top / perByte(window, view.row));
  if (to < bytes && view.top > bottom) return at(to + (view.top - bottom) / perByte(window, view.row));
  if (from > 0 && first < 0) {
    const size = Math.min(PIECE_BYTES, from);
    return { from: from - size, bytes: size };
  }
  if (to < bytes && last > rowCount(window)) return { from: to, bytes: PIECE_BYTES };
  return undefined;
}

function at(byte: number): Wanted {
  return { from: Math.max(Math.floor(byte), 0), bytes: PIECE_BYTES };
}

/** The topmost visible row, to restore the scroll position after pieces change. */
export interface Anchor {
  readonly piece: number;
  /** Its index in the piece, the number of rows there, and its hidden pixels. */
  readonly row: number;
  readonly of: number;
  readonly rest: number;
}

export function anchorOf(window: Window, view: View): Anchor | undefined {
  let y = view.top - spaceOf(window, view.row).above;
  const [top] = window.pieces;
  if (top && y < 0 && y > -view.height) return { piece: top.from, row: 0, of: top.rows.length, rest: y };
  if (y < 0) return undefined;
  for (const { from, rows } of window.pieces) {
    const height = rows.length * view.row;
    if (y < height)
      return { piece: from, row: Math.floor(y / view.row), of: rows.length, rest: y % view.row };
    y -= height;
  }
  return undefined;
}

/** The scroll position that keeps the anchor in place; approximate when the rows were laid out again (`relaid`). */
export function topOf(
  window: Window,
  anchor: Anchor,
  { row, relaid = false }: { readonly row: number; readonly relaid?: boolean },
): number | undefined {
  let y = spaceOf(window, row).above;
  for (const { from, rows } of window.pieces) {
    if (from === anchor.piece) {
      const at = relaid ? Math.floor((anchor.row / anchor.of) * rows.length) : anchor.row;
      return y + at * row + anchor.rest;
    }
    y += rows.length * row;
  }
  return undefined;
}

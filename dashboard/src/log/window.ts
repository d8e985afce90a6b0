// The loaded part of a log: adjacent pieces by byte offset. Bounded memory, however long the log is.
import type { LogPiece } from "#spec/overview";
import { type Layout, rowsOf } from "./rows.ts";

interface Raw {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface Piece extends Raw {
  readonly rows: readonly string[];
  /** Start of its first line, taken from the piece before; whether the piece after shows its last line. */
  readonly carried: string;
  readonly carries: boolean;
}

export interface Window {
  /** Length of the whole log. */
  readonly bytes: number;
  /** Ascending, without gaps. */
  readonly pieces: readonly Piece[];
}

export const PIECE_BYTES = 65_536;
const MOST_CARRIED = 16_384;
/** Maximum number of loaded pieces. */
export const MAX_PIECES = 16;

export const EMPTY: Window = { bytes: 0, pieces: [] };

export const start = ({ pieces }: Window) => pieces[0]?.from ?? 0;
export const end = ({ pieces }: Window) => pieces.at(-1)?.to ?? 0;
export const rowCount = ({ pieces }: Window) => pieces.reduce((sum, { rows }) => sum + rows.length, 0);

/** The incomplete last line of a piece; empty when it is too long to carry over. */
function tornOff(text: string): string {
  const tail = text.slice(text.lastIndexOf("\n") + 1);
  return tail.length <= MOST_CARRIED ? tail : "";
}

/** Lays out adjacent pieces: a line that spans two of them is shown in the second. */
function laid(pieces: readonly (Raw | Piece)[], layout: Layout): readonly Piece[] {
  let carried = "";
  return pieces.map((piece, at) => {
    const torn = at < pieces.length - 1 ? tornOff(carried + piece.text) : "";
    const before = carried;
    const carries = torn !== "";
    carried = torn;
    if ("rows" in piece && piece.carried === before && piece.carries === carries) return piece;
    const { from, to, text } = piece;
    const whole = before + text;
    const rows = rowsOf(whole.slice(0, whole.length - torn.length), layout);
    return { from, to, text, rows, carried: before, carries };
  });
}

/** Joins small appended pieces into one. */
function appended(pieces: readonly Piece[], { from, to, text }: LogPiece): (Raw | Piece)[] {
  const last = pieces.at(-1);
  if (!last || to - last.from > PIECE_BYTES) return [...pieces, { from, to, text }];
  return [...pieces.slice(0, -1), { from: last.from, to, text: last.text + text }];
}

/** Adds a piece at either end; a piece that is not adjacent replaces all. */
export function joined(window: Window, piece: LogPiece, layout: Layout): Window {
  const { bytes, from, to, text } = piece;
  const { pieces } = window;
  if (from === to) return { bytes, pieces };
  if (pieces.length > 0 && from === end(window))
    return { bytes, pieces: laid(appended(pieces, piece), layout) };
  if (pieces.length > 0 && to === start(window))
    return { bytes, pieces: laid([{ from, to, text }, ...pieces], layout) };
  return { bytes, pieces: laid([{ from, to, text }], layout) };
}

export function laidOut({ bytes, pieces }: Window, layout: Layout): Window {
  const raw = pieces.map(({ from, to, text }) => ({ from, to, text }));
  return { bytes, pieces: laid(raw, layout) };
}

/** Drops pieces outside the given rows, the farthest first, until the limit is met. */
export function trimmed(window: Window, first: number, last: number): Window {
  const pieces = [...window.pieces];
  let before = 0;
  let total = rowCount(window);
  while (pieces.length > MAX_PIECES) {
    const head = pieces[0]?.rows.length ?? 0;
    const tail = pieces.at(-1)?.rows.length ?? 0;
    const spareHead = first - (before + head);
    const spareTail = before + total - tail - last;
    if (Math.max(spareHead, spareTail) < 0) break;
    if (spareHead > spareTail) {
      pieces.shift();
      before += head;
      total -= head;
    } else {
      pieces.pop();
      total -= tail;
    }
  }
  return { ...window, pieces };
}

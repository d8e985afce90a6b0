// Range of the visible columns of a wide table.

export interface Window {
  /** The first drawn column, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

const SPARE = 4;

/** Scroll position and width of the box, width of a column and number of columns. */
export interface ColumnView {
  readonly scroll: number;
  readonly width: number;
  readonly column: number;
  readonly columns: number;
}

export function windowOf({ scroll, width, column, columns }: ColumnView): Window {
  const first = Math.floor(Math.max(0, scroll) / column) - SPARE;
  const from = Math.max(0, Math.min(first, columns - 1));
  const to = Math.min(columns, Math.ceil((Math.max(0, scroll) + width) / column) + SPARE);
  return { from, to: Math.max(from, to) };
}

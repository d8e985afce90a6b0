// Which columns of a wide table are in sight: only those are drawn.

export interface Window {
  /** First column that is drawn, and the first behind them. */
  readonly from: number;
  readonly to: number;
}

const SPARE = 4;

export function windowOf(scroll: number, width: number, column: number, columns: number): Window {
  const first = Math.floor(Math.max(0, scroll) / column) - SPARE;
  const from = Math.max(0, Math.min(first, columns - 1));
  const to = Math.min(columns, Math.ceil((Math.max(0, scroll) + width) / column) + SPARE);
  return { from, to: Math.max(from, to) };
}

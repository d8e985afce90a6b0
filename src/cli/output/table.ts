// Aligns columns by display width. If the table is too wide, the widest column shrinks first.
import { fitted } from "./format.ts";
import { oneLine, type Part, render, tone } from "./spans.ts";
import type { Screen, Style } from "./style.ts";
import { width } from "./width.ts";

const GAP = 2;
const MIN_COLUMN = 4;

const textOf = (cell: Part): string => oneLine(typeof cell === "string" ? cell : cell.text);

function widths(rows: readonly (readonly Part[])[], columns: number): number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const each = Array.from({ length: count }, (_, index) =>
    Math.max(0, ...rows.map((row) => width(textOf(row[index] ?? "")))),
  );
  const space = columns - GAP * (count - 1);
  let sum = each.reduce((total, columns) => total + columns, 0);
  for (; sum > space; sum -= 1) {
    const widest = Math.max(...each);
    if (widest <= MIN_COLUMN) break;
    each[each.lastIndexOf(widest)] = widest - 1;
  }
  return each;
}

function padCell(cell: Part, columns: number, style: Style): Part[] {
  const text = fitted(textOf(cell), columns, style.glyphs);
  const spaces = " ".repeat(columns - width(text) + GAP);
  return [typeof cell === "string" ? text : { ...cell, text }, spaces];
}

/** Column titles. */
export const headRow = (titles: readonly string[]): Part[] => titles.map((title) => tone("faint", title));

/** One line per row; rows may differ in their number of cells. */
export function table(rows: readonly (readonly Part[])[], screen: Screen): string[] {
  const each = widths(rows, screen.columns);
  return rows.map((row) =>
    render(
      row.flatMap((cell, index) => padCell(cell, each[index] ?? 0, screen.style)),
      screen,
    ),
  );
}

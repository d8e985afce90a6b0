// Aligns columns by display width. If the table is too wide, the widest column shrinks first.
import { fitted } from "./format.ts";
import { oneLine, type Part, render } from "./spans.ts";
import type { Style } from "./style.ts";
import { width } from "./width.ts";

const GAP = 2;
const NARROWEST = 4;

const textOf = (cell: Part): string => oneLine(typeof cell === "string" ? cell : cell.text);

function widths(rows: readonly (readonly Part[])[], columns: number): number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const wanted = Array.from({ length: count }, (_, index) =>
    Math.max(0, ...rows.map((row) => width(textOf(row[index] ?? "")))),
  );
  const room = columns - GAP * (count - 1);
  let sum = wanted.reduce((total, each) => total + each, 0);
  for (; sum > room; sum -= 1) {
    const widest = Math.max(...wanted);
    if (widest <= NARROWEST) break;
    wanted[wanted.lastIndexOf(widest)] = widest - 1;
  }
  return wanted;
}

function padded(cell: Part, columns: number, style: Style): Part[] {
  const text = fitted(textOf(cell), columns, style.glyphs);
  const spaces = " ".repeat(columns - width(text) + GAP);
  return [typeof cell === "string" ? text : { ...cell, text }, spaces];
}

/** One line per row; rows may differ in their number of cells. */
export function table(rows: readonly (readonly Part[])[], columns: number, style: Style): string[] {
  const each = widths(rows, columns);
  return rows.map((row) =>
    render(
      row.flatMap((cell, index) => padded(cell, each[index] ?? 0, style)),
      columns,
      style,
    ),
  );
}

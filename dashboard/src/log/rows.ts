// Splits the text of a log into rows of equal height: long lines are cut or wrapped.

export interface Layout {
  readonly wrap: boolean;
  /** Characters per row. */
  readonly columns: number;
}

/** Maximum characters of a cut line. */
export const CUT = 1000;

const TAB = 8;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const PLAIN = /^[\x20-\x7e]*$/;

function withoutTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let shown = "";
  for (const [at, part] of line.split("\t").entries()) {
    if (at > 0) shown += " ".repeat(TAB - (shown.length % TAB));
    shown += part;
  }
  return shown;
}

function wrapped(line: string, columns: number): string[] {
  if (line.length <= columns && PLAIN.test(line)) return [line];
  if (PLAIN.test(line)) {
    const rows: string[] = [];
    for (let at = 0; at < line.length; at += columns) rows.push(line.slice(at, at + columns));
    return rows;
  }
  const rows: string[] = [];
  let row = "";
  let width = 0;
  for (const character of line) {
    const wide = WIDE.test(character) ? 2 : 1;
    if (width + wide > columns && row !== "") {
      rows.push(row);
      row = "";
      width = 0;
    }
    row += character;
    width += wide;
  }
  return [...rows, row];
}

function cut(line: string): string {
  if (line.length <= CUT) return line;
  return `${line.slice(0, CUT).replace(/[\ud800-\udbff]$/, "")} … ${line.length - CUT} more characters`;
}

export function rowsOf(text: string, { wrap, columns }: Layout): readonly string[] {
  if (text === "") return [];
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  return lines.flatMap((line) => {
    const shown = withoutTabs(line.endsWith("\r") ? line.slice(0, -1) : line);
    return wrap ? wrapped(shown, Math.max(columns, 10)) : [cut(shown)];
  });
}

// HTML building blocks of the report. Cells and values are markup: the caller escapes the text in them.
import { oneLine } from "#text/plain-text";
import { escaped } from "./html/escaped.ts";

const LINE_CHARS = 500;

/** Untrusted text, escaped and cut to one line. */
export const said = (text: string, maxChars = LINE_CHARS): string => escaped(oneLine(text, maxChars));

export const code = (text: string, maxChars?: number): string => `<code>${said(text, maxChars)}</code>`;

export function section(id: string, title: string, body: readonly string[]): string {
  return `<section id="${id}">\n<h2>${escaped(title)}</h2>\n${body.join("\n")}\n</section>`;
}

export interface Column {
  readonly title: string;
  readonly number?: boolean;
}

export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const kind = (at: number) => (columns[at]?.number ? ' class="number"' : "");
  const head = columns.map(({ title }, at) => `<th${kind(at)}>${escaped(title)}</th>`).join("");
  const body = rows.map(
    (cells) => `<tr>${cells.map((cell, at) => `<td${kind(at)}>${cell}</td>`).join("")}</tr>`,
  );
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join("\n")}\n</tbody></table></div>`;
}

/** A list of names and values. */
export function pairs(list: readonly (readonly [name: string, value: string])[]): string {
  const rows = list.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${value}</dd>`);
  return `<dl>\n${rows.join("\n")}\n</dl>`;
}

/** A collapsible block; `summary` and `body` are markup. */
export const folded = (summary: string, body: string, open = false): string =>
  `<details${open ? " open" : ""}><summary>${summary}</summary>\n${body}\n</details>`;

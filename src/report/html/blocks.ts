// HTML building blocks of the report.
import { oneLine } from "#text/plain-text";
import { type Child, type Html, html } from "./html.ts";

const LINE_CHARS = 500;

/** Untrusted text on one line, cut to a maximum. */
export const line = (text: string, maxChars = LINE_CHARS): string => oneLine(text, maxChars);

export const code = (text: string, maxChars?: number): Html => html`<code>${line(text, maxChars)}</code>`;

export interface Column {
  readonly title: string;
  readonly number?: boolean;
}

export function table(columns: readonly Column[], rows: readonly (readonly Child[])[]): Html {
  const kind = (at: number) => (columns[at]?.number ? html` class="number"` : undefined);
  const head = columns.map(({ title }, at) => html`<th${kind(at)}>${title}</th>`);
  const body = rows.map(
    (cells) => html`<tr>${cells.map((cell, at) => html`<td${kind(at)}>${cell}</td>`)}</tr>
`,
  );
  return html`<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>
${body}</tbody></table></div>`;
}

/** A list of names and values. */
export function pairs(list: readonly (readonly [name: string, value: Child])[]): Html {
  return html`<dl>
${list.map(
  ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>
`,
)}</dl>`;
}

/** A collapsible block. */
export const folded = (summary: Child, body: Child, open = false): Html =>
  html`<details${open && html` open`}><summary>${summary}</summary>
${body}
</details>`;

/** A bar that is filled by a share from 0 to 1. */
export const bar = (share: number, title?: string): Html =>
  html`<span class="bar"${title !== undefined && html` title="${title}"`}><i style="width:${Math.round(100 * Math.min(1, Math.max(0, share)))}%"></i></span>`;

// Report section: diffs per file, of the whole run and of each iteration. Diffs are untrusted text.
import { counted } from "#text/format";
import { iterationTitle } from "#text/words";
import type { ReportDiff, ReportFacts } from "./facts.ts";
import { folded, line } from "./html/blocks.ts";
import { type Child, type Html, html } from "./html/html.ts";

interface FileDiff {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Safe to split at: content lines in a diff start with a sign or a space. */
const FILE_START = /^(?=diff --git )/m;

/** The path after the change, as git writes it; git quotes unusual characters. */
function pathOf(lines: readonly string[]): string {
  const after = lines.find((line) => line.startsWith("+++ "))?.slice(4);
  const before = lines.find((line) => line.startsWith("--- "))?.slice(4);
  const rawPath = after === undefined || after === "/dev/null" ? before : after;
  const fallback = /^diff --git ("?)a\/.* \1b\/(.*?)"?$/.exec(lines[0] ?? "")?.[2] ?? "";
  return (rawPath?.replace(/^("?)[ab]\//, "$1") ?? fallback).trim();
}

export function parseDiff(diff: string): FileDiff[] {
  return diff
    .split(FILE_START)
    .filter((text) => text.startsWith("diff --git "))
    .map((text) => {
      const lines = text.replace(/\n$/, "").split("\n");
      return { path: pathOf(lines), lines };
    });
}

/** Skips the header, which ends at the first hunk. */
function bodyOf(lines: readonly string[]): readonly string[] {
  const hunk = lines.findIndex((line) => line.startsWith("@@"));
  return hunk < 0 ? lines.slice(1) : lines.slice(hunk);
}

const LINE_CLASSES: Readonly<Record<string, string>> = { "+": "add", "-": "del", "@": "hunk" };

function diffLine(text: string, hasHunks: boolean): Html {
  const kind = hasHunks ? LINE_CLASSES[text.charAt(0)] : undefined;
  return kind ? html`<span class="${kind}">${text}</span>` : html`${text}`;
}

function fileOf({ path, lines }: FileDiff, open: boolean): Html {
  const body = bodyOf(lines);
  const hasHunks = body[0]?.startsWith("@@") ?? false;
  const count = (sign: string) => body.filter((text) => text.startsWith(sign)).length;
  const size =
    hasHunks && html` <span class="plus">+${count("+")}</span> <span class="minus">−${count("-")}</span>`;
  const shown = body.map((text, at) => [at > 0 && "\n", diffLine(text, hasHunks)]);
  return folded(html`<code>${line(path, 300)}</code>${size}`, html`<pre class="diff">${shown}</pre>`, open);
}

const OPEN_LINES = 60;

function truncationNote({ iteration, files, cut }: ReportDiff, shown: number, run: string): Child {
  if (!cut) return undefined;
  const command = iteration === undefined ? `converge diff ${run}` : `converge diff ${run} ${iteration}`;
  const note =
    shown === 0
      ? "Left out of the report"
      : `Cut: ${shown} of ${counted(files, "file")} shown, the last one incomplete`;
  return html`<p class="note">${note}. Show all of it: <code>${command}</code></p>`;
}

function diffOf(diff: ReportDiff, run: string): Html {
  const files = parseDiff(diff.text);
  const isWhole = diff.iteration === undefined;
  const title = isWhole ? "The whole run" : iterationTitle(diff.iteration);
  const isShort = files.reduce((sum, { lines }) => sum + lines.length, 0) <= OPEN_LINES;
  const summary = html`<strong>${title}</strong> <span class="soft">${counted(diff.files, "file")}</span>`;
  const body = files.map((file) => fileOf(file, !isWhole || isShort));
  return folded(summary, [truncationNote(diff, files.length, run), ...body], isWhole);
}

export function diffSection({ diffs, overview }: ReportFacts): Child {
  if (diffs.length === 0) return html`<p>The run changed nothing.</p>`;
  return [
    ...diffs.map((diff) => diffOf(diff, overview.id)),
    diffs[0]?.iteration !== undefined && html`<p>Taken together, the iterations changed nothing.</p>`,
  ];
}

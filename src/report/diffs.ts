// What changed, file by file: over the whole run and in each iteration. Diffs are the agent's text, and stay text.
import { counted } from "#text/format";
import type { DiffShown, ReportFacts } from "./facts.ts";
import { escaped } from "./html/escaped.ts";
import { folded, said } from "./markup.ts";

interface FileDiff {
  readonly path: string;
  readonly lines: readonly string[];
}

/** A line of a file never begins like this in a diff: it has a sign before it. */
const FILE = /^(?=diff --git )/m;

/** The name after the change, as git writes it; with odd characters it is in quotes. */
function pathOf(lines: readonly string[]): string {
  const after = lines.find((line) => line.startsWith("+++ "))?.slice(4);
  const before = lines.find((line) => line.startsWith("--- "))?.slice(4);
  const named = after === undefined || after === "/dev/null" ? before : after;
  const fallback = /^diff --git ("?)a\/.* \1b\/(.*?)"?$/.exec(lines[0] ?? "")?.[2] ?? "";
  return (named?.replace(/^("?)[ab]\//, "$1") ?? fallback).trim();
}

export function filesIn(diff: string): FileDiff[] {
  return diff
    .split(FILE)
    .filter((text) => text.startsWith("diff --git "))
    .map((text) => {
      const lines = text.replace(/\n$/, "").split("\n");
      return { path: pathOf(lines), lines };
    });
}

/** The header is over where the first hunk begins; after that every sign counts. */
function bodyOf(lines: readonly string[]): readonly string[] {
  const hunk = lines.findIndex((line) => line.startsWith("@@"));
  return hunk < 0 ? lines.slice(1) : lines.slice(hunk);
}

const KINDS: Readonly<Record<string, string>> = { "+": "add", "-": "del", "@": "hunk" };

function line(text: string, inHunk: boolean): string {
  const kind = inHunk ? KINDS[text.charAt(0)] : undefined;
  return kind ? `<span class="${kind}">${escaped(text)}</span>` : escaped(text);
}

function fileOf({ path, lines }: FileDiff, open: boolean): string {
  const body = bodyOf(lines);
  const inHunk = body[0]?.startsWith("@@") ?? false;
  const count = (sign: string) => (inHunk ? body.filter((text) => text.startsWith(sign)).length : 0);
  const size = inHunk
    ? ` <span class="plus">+${count("+")}</span> <span class="minus">−${count("-")}</span>`
    : "";
  const shown = body.map((text) => line(text, inHunk)).join("\n");
  return folded(`<code>${said(path, 300)}</code>${size}`, `<pre class="diff">${shown}</pre>`, open);
}

const OPEN_LINES = 60;

function leftOut({ iteration, files, cut }: DiffShown, shown: number, run: string): string {
  if (!cut) return "";
  const command = iteration === undefined ? `converge diff ${run}` : `converge diff ${run} ${iteration}`;
  const much =
    shown === 0
      ? "It is left out here"
      : `Cut: ${shown} of ${counted(files, "file")} shown, the last one not to its end`;
  return `<p class="note">${much}. All of it: <code>${escaped(command)}</code></p>`;
}

function diffOf(diff: DiffShown, run: string): string {
  const files = filesIn(diff.text);
  const title = diff.iteration === undefined ? "The whole run" : `Iteration ${diff.iteration}`;
  const isShort = files.reduce((sum, { lines }) => sum + lines.length, 0) <= OPEN_LINES;
  const body = files.map((file) => fileOf(file, diff.iteration === undefined ? isShort : true)).join("\n");
  const summary = `<strong>${title}</strong> <span class="soft">${counted(diff.files, "file")}</span>`;
  return folded(summary, `${leftOut(diff, files.length, run)}${body}`, diff.iteration === undefined);
}

export function diffSection({ diffs, overview }: ReportFacts): string[] {
  if (diffs.length === 0) return ["<p>The run changed nothing.</p>"];
  return [
    ...diffs.map((diff) => diffOf(diff, overview.id)),
    ...(diffs[0]?.iteration === undefined ? [] : ["<p>Taken together, the iterations changed nothing.</p>"]),
  ];
}

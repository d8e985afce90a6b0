// Styled text for one terminal line. All output goes through render(), so untrusted text cannot inject control
// codes, break the line, or exceed its width.
import { plain } from "#text/plain-text";
import type { Screen, Style, Tone } from "./style.ts";
import { beginning, width } from "./width.ts";

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Part = string | Span;

export const tone = (kind: Tone, text: string): Span => ({ text, tone: kind });

/**
 * Reduces text to one visible line. Removes emoji variation selectors, because terminals disagree on their width,
 * and keeps at most four accents per character, because more would overlap the lines around.
 */
export function oneLine(text: string): string {
  return plain(text)
    .replace(/[\ufe00-\ufe0f]/g, "")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .replace(/\t/g, "  ")
    .replace(/\s*\n\s*/g, " ");
}

/** The first non-blank line. */
export const firstLine = (text: string): string => plain(text).trim().split("\n", 1)[0] ?? "";

/** The last non-blank line. */
export const lastLine = (text: string): string => plain(text).trim().split("\n").at(-1)?.trim() ?? "";

const textOf = (part: Part): string => oneLine(typeof part === "string" ? part : part.text);

const withText = (part: Part, text: string): Part => (typeof part === "string" ? text : { ...part, text });

export const widthOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + width(textOf(part)), 0);

/** Removes trailing spaces, which must not count towards the width. */
function trimRow(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex((part) => textOf(part).trimEnd() !== "");
  return parts
    .slice(0, last + 1)
    .map((part, at) => withText(part, at === last ? textOf(part).trimEnd() : textOf(part)));
}

function truncate(parts: readonly Part[], columns: number, ellipsis: string): readonly Part[] {
  if (widthOf(parts) <= columns) return parts;
  const sign = beginning(ellipsis, columns);
  const kept: Part[] = [];
  let left = columns - sign.length;
  for (const part of parts) {
    const text = textOf(part);
    if (width(text) > left) return [...kept, withText(part, beginning(text, left) + sign)];
    kept.push(part);
    left -= width(text);
  }
  return kept;
}

/** At most `columns` wide, without trailing spaces, and without control codes except the style's colours. */
export function render(parts: readonly Part[], { columns, style }: Screen): string {
  const paint = (part: Part): string => {
    const text = textOf(part);
    return typeof part === "string" || text === "" ? text : style.paint[part.tone](text);
  };
  return truncate(trimRow(parts), columns, style.glyphs.ellipsis).map(paint).join("");
}

/** Joins the leading items that fit, with a dot between them; an item that does not fit is dropped, not cut. */
export function joinFitting(items: readonly (readonly Part[])[], columns: number, style: Style): Part[] {
  const dot = tone("faint", ` ${style.glyphs.dot} `);
  let line: Part[] = [];
  for (const item of items) {
    const longer = line.length === 0 ? [...item] : [...line, dot, ...item];
    if (line.length > 0 && widthOf(longer) > columns) break;
    line = longer;
  }
  return line;
}

/** Wraps text over at most `most` lines. The last line holds the rest; render() truncates it. */
export function wrap(text: string, columns: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && lines.length < most - 1 && width(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

const REASON_LINES = 3;

interface Block {
  readonly columns: number;
  readonly indent?: string;
}

/** A highlighted phrase followed by its reason, wrapped over a few lines. */
export function reasonRows(phrase: Span, reason: string, { columns, indent = "" }: Block): Part[][] {
  const words = oneLine(phrase.text);
  const [first = "", ...more] = wrap(`${words}: ${reason}`, columns - indent.length - 2, REASON_LINES);
  const head = [indent, tone(phrase.tone, first.slice(0, words.length)), first.slice(words.length)];
  return [head, ...more.map((line) => [`${indent}  ${line}`])];
}

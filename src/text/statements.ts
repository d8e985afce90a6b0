// Parses an agent's message into its own statements: lines and promise tags that stand alone.

export interface Statement {
  /** The trimmed line. */
  readonly line: string;
  /** The line without emphasis and closing punctuation. */
  readonly text: string;
  /** The words of a promise tag. */
  readonly promise?: string;
  /** Part of a sentence that runs over several lines ("I am not yet / DONE"). */
  readonly embedded: boolean;
}

// Longer lines are no signals; the limit also keeps the patterns below fast on hostile text.
const MAX_LINE_CHARS = 500;
const TAG_LINES = 10;

const SENTENCE_END = /[.!?…]["'”’)\]*_]*$/;
const LIST_ITEM = /^(?:[-*+•]|\d+[.)])\s/;
const CONDITION = /\b(?:not|never|cannot|once|when|until|unless|if|before)\b|n['’]t\b/i;

export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

/** Empties the lines of code blocks, because they are quotations. A block that never closes extends to the end. */
export function withoutCode(lines: readonly string[]): readonly string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const mark = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      return mark ? "" : line;
    }
    if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    return "";
  });
}

export function statementsOf(lines: readonly string[]): readonly Statement[] {
  const statements: Statement[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = tagEnd(lines, start);
    const line = tagAfterSentence(lines.slice(start, end).join(" ").trim());
    if (line !== "" && line.length <= MAX_LINE_CHARS)
      statements.push({ ...parseStatement(line), embedded: isEmbedded(lines, start, end) });
    start = end;
  }
  return statements;
}

function parseStatement(line: string): Omit<Statement, "embedded"> {
  const text = stripEmphasis(line);
  const promise = promiseIn(text);
  return { line, text, ...(promise === undefined ? {} : { promise }) };
}

/** The words of a tag that is the whole text; a text with several tags is a sentence about tags. */
export function promiseIn(text: string): string | undefined {
  const words = /^<promise>(.*)<\/promise>$/is.exec(text)?.[1]?.replace(/\s+/g, " ").trim();
  return words === undefined || words === "" || /<\/?promise>/i.test(words) ? undefined : words;
}

/** "All tests pass. <promise>…</promise>": a tag after a sentence without a condition counts as a statement of its own. */
function tagAfterSentence(line: string): string {
  if (line.length > MAX_LINE_CHARS) return line;
  const [, before = "", tag] = /^([^>|].*[.!…])[*_]*\s+(<promise>.*<\/promise>[.!*_]*)$/i.exec(line) ?? [];
  return tag === undefined || CONDITION.test(before) || /[`"<]/.test(before) ? line : tag;
}

/** Returns the end of the statement: a promise tag may span a few lines. */
function tagEnd(lines: readonly string[], start: number): number {
  const opening = lines[start]?.trim().replace(/^[*_]{1,3}/, "") ?? "";
  if (!/^<promise>/i.test(opening)) return start + 1;
  const offset = lines.slice(start, start + TAG_LINES).findIndex((line) => /<\/promise>/i.test(line));
  return start + Math.max(offset, 0) + 1;
}

/** Strips markdown emphasis and the closing `.` or `!` that agents like to add. */
function stripEmphasis(text: string): string {
  const next = text
    .replace(/[.!]+$/, "")
    .replace(/^(\*{1,3}|_{1,3})(?!\s)(.+)\1$/s, "$2")
    .trim();
  return next === text ? text : stripEmphasis(next);
}

// The lead before a colon may be one paragraph earlier: "Once it works I will say:", a blank line, then the signal.
function isEmbedded(lines: readonly string[], start: number, end: number): boolean {
  const adjacent = lines[start - 1]?.trim() ?? "";
  const lead = adjacent || (lines[start - 2]?.trim() ?? "");
  const colon = lead.endsWith(":");
  const open = adjacent === "" ? colon : colon || !(SENTENCE_END.test(lead) || LIST_ITEM.test(lead));
  if (lead === "" || !open) return false;
  return CONDITION.test(lead) || /^\s*[a-z]/.test(lines[end] ?? "");
}

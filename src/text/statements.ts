// Splits a message into what it states in its own voice: lines and promise tags that stand alone.

export interface Statement {
  /** The line as it stands, trimmed. */
  readonly line: string;
  /** The line without emphasis and closing punctuation. */
  readonly text: string;
  /** The words of a promise tag. */
  readonly promise?: string;
  /** Part of a sentence that runs over several lines ("I am not yet / DONE"). */
  readonly embedded: boolean;
}

// Nothing longer is a signal; the bound also keeps the patterns below from being slow on hostile text.
const LONGEST = 500;
const TAG_LINES = 10;

const CLOSED = /[.!?…]["'”’)\]*_]*$/;
const LIST_ITEM = /^(?:[-*+•]|\d+[.)])\s/;
const CONDITION = /\b(?:not|never|cannot|once|when|until|unless|if|before)\b|n['’]t\b/i;

export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

/** Code blocks are quotations: their lines become empty. One that never closes reaches to the end. */
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
    const line = afterSentence(lines.slice(start, end).join(" ").trim());
    if (line !== "" && line.length <= LONGEST) statements.push(statement(line, lines, start, end));
    start = end;
  }
  return statements;
}

function statement(line: string, lines: readonly string[], start: number, end: number): Statement {
  const text = bare(line);
  const promise = promiseIn(text);
  return {
    line,
    text,
    ...(promise === undefined ? {} : { promise }),
    embedded: embedded(lines, start, end),
  };
}

/** The words of a tag that is the whole text; several tags in one text are a sentence about tags. */
export function promiseIn(text: string): string | undefined {
  const words = /^<promise>(.*)<\/promise>$/is.exec(text)?.[1]?.replace(/\s+/g, " ").trim();
  return words === undefined || words === "" || /<\/?promise>/i.test(words) ? undefined : words;
}

/** "All tests pass. <promise>…</promise>": a tag right after a sentence that sets no condition stands for itself. */
function afterSentence(line: string): string {
  if (line.length > LONGEST) return line;
  const [, before = "", tag] = /^([^>|].*[.!…])[*_]*\s+(<promise>.*<\/promise>[.!*_]*)$/i.exec(line) ?? [];
  return tag === undefined || CONDITION.test(before) || /[`"<]/.test(before) ? line : tag;
}

/** Where the statement that starts here ends: a promise tag may run over a few lines. */
function tagEnd(lines: readonly string[], start: number): number {
  const opening = lines[start]?.trim().replace(/^[*_]{1,3}/, "") ?? "";
  if (!/^<promise>/i.test(opening)) return start + 1;
  const offset = lines.slice(start, start + TAG_LINES).findIndex((line) => /<\/promise>/i.test(line));
  return start + Math.max(offset, 0) + 1;
}

/** Without the markdown emphasis and the closing `.` or `!` that agents like to add. */
function bare(text: string): string {
  const next = text
    .replace(/[.!]+$/, "")
    .replace(/^(\*{1,3}|_{1,3})(?!\s)(.+)\1$/s, "$2")
    .trim();
  return next === text ? text : bare(next);
}

// The lead before a colon may stand a paragraph earlier: "Once it works I will say:", a gap, then the signal.
function embedded(lines: readonly string[], start: number, end: number): boolean {
  const adjacent = lines[start - 1]?.trim() ?? "";
  const lead = adjacent || (lines[start - 2]?.trim() ?? "");
  const colon = lead.endsWith(":");
  const open = adjacent === "" ? colon : colon || !(CLOSED.test(lead) || LIST_ITEM.test(lead));
  if (lead === "" || !open) return false;
  return CONDITION.test(lead) || /^\s*[a-z]/.test(lines[end] ?? "");
}

// Quotes as people and their keyboards make them, around a task or the value of an option.

export interface Quoted {
  /** What they hold; in straight double quotes `\"` is a quote and `\\` a backslash. */
  readonly text: string;
  /** Right behind the closing one. */
  readonly end: number;
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "‘": "’",
  "„": "“",
  "«": "»",
};

const isGap = (character: string | undefined) => character === undefined || /\s/.test(character);

/**
 * The quotation that begins here; undefined when none does. A quote closes it only before a gap, so that the
 * apostrophe in 'don't' and the quote in "a "b"c" do not.
 */
export function quotedAt(text: string, at: number): Quoted | "unclosed" | undefined {
  const opening = text[at] ?? "";
  const closing = Object.hasOwn(CLOSING, opening) ? CLOSING[opening] : undefined;
  if (closing === undefined) return undefined;
  for (let end = at + 1; end < text.length; end++) {
    if (opening === '"' && text[end] === "\\") end++;
    else if (text[end] === closing && isGap(text[end + 1])) {
      const held = text.slice(at + 1, end);
      return { text: opening === '"' ? held.replace(/\\(["\\])/g, "$1") : held, end: end + 1 };
    }
  }
  return "unclosed";
}

// Parses quoted text with straight or typographic quotes.

export interface Quoted {
  /** The quoted text; in straight double quotes `\"` is a quote and `\\` a backslash. */
  readonly text: string;
  /** Position after the closing quote. */
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
 * Parses the quoted text at `at`; undefined when there is none. A closing quote must be followed by whitespace or the end,
 * so that the apostrophe in 'don't' and the quote in "a "b"c" do not close it.
 */
export function quotedAt(text: string, at: number): Quoted | "unclosed" | undefined {
  const opening = text[at] ?? "";
  const closing = Object.hasOwn(CLOSING, opening) ? CLOSING[opening] : undefined;
  if (closing === undefined) return undefined;
  for (let end = at + 1; end < text.length; end++) {
    if (opening === '"' && text[end] === "\\") end++;
    else if (text[end] === closing && isGap(text[end + 1])) {
      const content = text.slice(at + 1, end);
      return { text: opening === '"' ? content.replace(/\\(["\\])/g, "$1") : content, end: end + 1 };
    }
  }
  return "unclosed";
}

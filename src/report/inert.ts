// Quotes untrusted text in Markdown as code, where it cannot become a link, mention, issue reference, command or HTML.
import { head, oneLine, plain } from "#text/plain-text";

const longestBacktickRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** An inline code span. A bar would end a table cell even when escaped, so it becomes a broken bar. */
export function codeSpan(text: string, maxChars = 200): string {
  const line = oneLine(text, maxChars).replaceAll("|", "¦");
  if (line === "") return "–";
  const ticks = "`".repeat(longestBacktickRun(line) + 1);
  // A blank separates backticks at the ends from the delimiters; Markdown strips one on each side.
  const blank = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${ticks}${blank}${line}${blank}${ticks}`;
}

/** A fenced code block whose fence is longer than any run of backticks in the text. */
export function codeBlock(text: string, maxChars: number): string {
  const shown = head(plain(text), maxChars);
  const fence = "`".repeat(Math.max(3, longestBacktickRun(shown) + 1));
  return `${fence}text\n${shown}\n${fence}`;
}

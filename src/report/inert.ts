// Text from anywhere inside Markdown: always in code, where nothing is a link, a mention, an issue, a command or HTML.
import { head, oneLine, plain } from "#text/plain-text";

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** On one line. A bar could end the cell of a table, escaped or not, so it is written as a broken one. */
export function inert(text: string, most = 200): string {
  const line = oneLine(text, most).replaceAll("|", "¦");
  if (line === "") return "–";
  const ticks = "`".repeat(longestRun(line) + 1);
  // A blank keeps backticks at the ends apart from ours; Markdown takes one off on each side.
  const blank = /^[` ]|[` ]$/.test(line) ? " " : "";
  return `${ticks}${blank}${line}${blank}${ticks}`;
}

/** On lines of its own; no run of backticks in the text is as long as the fence. */
export function inertBlock(text: string, most: number): string {
  const shown = head(plain(text), most);
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}text\n${shown}\n${fence}`;
}

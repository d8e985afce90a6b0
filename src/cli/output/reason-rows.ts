// Formats a highlighted phrase followed by its reason, wrapped over a few lines.
import { oneLine, type Part, type Span, tone, wrap } from "./spans.ts";

const MOST_LINES = 3;

export function reasonRows(said: Span, reason: string, columns: number, indent = ""): Part[][] {
  const words = oneLine(said.text);
  const [first = "", ...more] = wrap(`${words}: ${reason}`, columns - indent.length - 2, MOST_LINES);
  const head = [indent, tone(said.tone, first.slice(0, words.length)), first.slice(words.length)];
  return [head, ...more.map((line) => [`${indent}  ${line}`])];
}

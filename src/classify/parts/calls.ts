// Parses calls in build files that decide which tests run: `add_test(…)` in CMake, `test(…)` in Meson.
import { type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "{": "}" };

function endOf(text: string, open: number): number {
  const opening = text[open] ?? "(";
  const closing = CLOSING[opening] ?? ")";
  let depth = 0;
  const token = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|\/\/[^\n]*|[(){}]/g;
  token.lastIndex = open;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === opening) depth++;
    if (match[0] === closing && --depth === 0) return match.index + 1;
  }
  return text.length;
}

/** Calls that add tests: an additional one is allowed. */
const ADDING = /^(?:add_test|add_subdirectory|subdir|\w+_discover_tests|add_custom_target)\b/i;

/** `name` is a comma-separated list of the calls. */
export const readCalls: ReadPieces = (text, name) => {
  const names = name.split(",").map((one) => one.replace(/[.*+?^${}()|[\]\\<>]/g, "\\$&"));
  const pattern = new RegExp(`^[ \\t]*(?:${names.join("|")})\\s*[({]`, "gim");
  const pieces: Piece[] = [];
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const open = match.index + match[0].length - 1;
    const end = endOf(text, open);
    const content = withoutBlanks(text.slice(match.index, end));
    const mayCome = ADDING.test(content) && { mayCome: true as const };
    pieces.push({ key: content.slice(0, 80), text: content, start: match.index, end, ...mayCome });
    pattern.lastIndex = end;
  }
  return pieces;
};

// Reads what decides how Gradle runs tests: `test { … }`, `tasks.withType(Test).configureEach { … }`, `test.enabled = false`.
import { type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

const STRING = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/.source;

/** Comments become blanks, so that a block that was commented out is gone; every place stays where it is. */
function withoutComments(text: string): string {
  const pattern = new RegExp(`(${STRING})|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)`, "g");
  return text.replace(pattern, (found, string: string | undefined) => string ?? found.replace(/[^\n]/g, " "));
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "{": "}" };

function endOfGroup(text: string, open: number): number {
  const opening = text[open] ?? "";
  const token = new RegExp(`${STRING}|[(){}]`, "g");
  let depth = 0;
  token.lastIndex = open;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === opening) depth++;
    if (match[0] === CLOSING[opening] && --depth === 0) return match.index + 1;
  }
  return text.length;
}

const LINK = /[ \t]*(?:<\w+>)?[ \t]*[({]|\s*\.\s*\w+/y;

/** The end of `a.b(…).c { … }`, with what follows on its line: `test.enabled = false`. */
function endOfStatement(text: string, from: number): number {
  let end = from;
  for (;;) {
    LINK.lastIndex = end;
    const link = LINK.exec(text)?.[0];
    if (link === undefined) break;
    end += link.length;
    if (/[({]$/.test(link)) end = endOfGroup(text, end - 1);
  }
  // A block that stands inside another one on the same line ends before its brace.
  const rest = /[^\n}]*/y;
  rest.lastIndex = end;
  return end + (rest.exec(text)?.[0].trimEnd().length ?? 0);
}

const TASK = String.raw`(?:project\.)?(?:tasks\s*\.\s*)?(?:test|\w+Test|testOptions)(?=\s*[({.])`;
const SELECTION = String.raw`(?:project\.)?tasks\s*\.\s*(?:withType|named|getByName|matching|configureEach|all|whenTaskAdded)\b`;
/** The name may stand at the beginning of a line or of a block. */
const STATEMENT = new RegExp(String.raw`(?<=^|[{;]|\n)[ \t]*(?:(${SELECTION})|${TASK})`, "g");
const ABOUT_TESTS = /\bTest\b|["']\w*[tT]est["']/;
const DEPENDENCIES = /^\w+Test\s*\.\s*dependencies\b/;

export const readGradleTests: ReadPieces = (text) => {
  const code = withoutComments(text);
  const pieces: Piece[] = [];
  STATEMENT.lastIndex = 0;
  for (let match = STATEMENT.exec(code); match; match = STATEMENT.exec(code)) {
    const start = match.index + (/^[ \t]*/.exec(match[0])?.[0].length ?? 0);
    const end = endOfStatement(code, match.index + match[0].length);
    const content = withoutBlanks(code.slice(start, end));
    const isFree = match[1] !== undefined ? !ABOUT_TESTS.test(content) : DEPENDENCIES.test(content);
    // What is inside a free statement may be about tests all the same.
    STATEMENT.lastIndex = isFree ? match.index + match[0].length : end;
    if (!isFree) pieces.push({ key: content.split("{")[0] ?? "", text: content, start, end });
  }
  return pieces;
};

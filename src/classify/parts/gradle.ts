// Parses Gradle statements about tests, such as `test { … }`, `tasks.withType(Test) { … }`, `test.enabled = false`.
import { type Piece, type ReadPieces, withoutBlanks } from "./piece.ts";

const STRING = /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/.source;

/** Replaces comments with spaces, so that commented-out blocks are ignored and all offsets stay valid. */
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

/** The end of `a.b(…).c { … }`, including the rest of its line: `test.enabled = false`. */
function endOfStatement(text: string, from: number): number {
  let end = from;
  for (;;) {
    LINK.lastIndex = end;
    const link = LINK.exec(text)?.[0];
    if (link === undefined) break;
    end += link.length;
    if (/[({]$/.test(link)) end = endOfGroup(text, end - 1);
  }
  // A statement inside a block on the same line ends before the closing brace.
  const rest = /[^\n}]*/y;
  rest.lastIndex = end;
  return end + (rest.exec(text)?.[0].trimEnd().length ?? 0);
}

const TASK = String.raw`(?:project\.)?(?:tasks\s*\.\s*)?(?:test|\w+Test|testOptions)(?=\s*[({.])`;
const SELECTION = String.raw`(?:project\.)?tasks\s*\.\s*(?:withType|named|getByName|matching|configureEach|all|whenTaskAdded)\b`;
/** A statement begins at the start of a line or a block, or after a semicolon. */
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
    // An unprotected statement may contain a protected one.
    STATEMENT.lastIndex = isFree ? match.index + match[0].length : end;
    if (!isFree) pieces.push({ key: content.split("{")[0] ?? "", text: content, start, end });
  }
  return pieces;
};

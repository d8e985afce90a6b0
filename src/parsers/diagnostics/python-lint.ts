// Parses flake8, ruff (concise) and pylint: `file.py:line:column: CODE message`. They fail on every message.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const LINE =
  /^(\S.{0,400}?\.pyi?):(\d{1,9}):(\d{1,9}): ([A-Z]{1,6}\d{2,5}(?=:? )|[a-z]+(?:-[a-z]+)+(?=: ))(:?) (?:\[\*\] )?(.+)$/;
const QUOTE = /^\s*(?:\d+ )?\|/;

export const pythonLint: DiagnosticReader = (lines, at) => {
  const [, file, line, column, code, colon, message] = LINE.exec(lines[at] ?? "") ?? [];
  if (file === undefined || code === undefined || message === undefined) return undefined;
  const tool = colon === ":" && /\d$/.test(code) ? "pylint" : "Python lint";
  return withContext(
    { tool, severity: "error", file, line: Number(line), column: Number(column), code, message },
    { lines, at, belongs: (next) => QUOTE.test(next) },
  );
};

// Parses jest's output when a test ends the whole process: jest prints the location, but no result or summary.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const HEADING = /^\s*● {1,4}(process\.exit called with "?\w{1,20}"?)$/;
const FRAME = /^\s+at (?:.{0,300}\()?(\S{1,400}?):(\d{1,9}):\d{1,9}\)?$/;
const STACK_LINES = 60;

export const jestExit: DiagnosticReader = (lines, at) => {
  const [, message] = HEADING.exec(lines[at] ?? "") ?? [];
  if (message === undefined) return undefined;
  const below = lines.slice(at + 1, at + 1 + STACK_LINES);
  const first = below.findIndex((line) => FRAME.test(line));
  const end = below.findIndex((line, index) => index > first && !FRAME.test(line));
  const stack = first < 0 ? [] : below.slice(first, end < 0 ? undefined : end);
  // The outermost frame inside the project is the test.
  const [, file, line] =
    stack
      .flatMap((each) => {
        const frame = FRAME.exec(each);
        return frame !== null && !/node_modules|^node:/.test(frame[1] ?? "") ? [frame] : [];
      })
      .at(-1) ?? [];
  if (file === undefined) return undefined;
  const diagnostic = {
    tool: "jest",
    severity: "error",
    file,
    line: Number(line),
    message,
    crash: true,
  } as const;
  return withContext(diagnostic, {
    lines,
    at,
    belongs: (next) => next.trim() === "" || /^\s{4,}\S/.test(next),
  });
};

// Parses `PHP Parse error:  message in file on line N`; PHP prints it twice if it both logs and displays errors.
import { type DiagnosticReader, withoutContext } from "./diagnostic.ts";

const LINE = /^(?:PHP )?((?:Parse|Fatal) error): +(.+) in (\S{1,400})(?: on line |:)(\d{1,9})$/;

export const phpCrash: DiagnosticReader = (lines, at) => {
  const [, code, message, file, line] = LINE.exec(lines[at] ?? "") ?? [];
  if (message === undefined || file === undefined) return undefined;
  const text = `${code}: ${message}`;
  return withoutContext(
    { tool: "php", severity: "error", file, line: Number(line), message: text, crash: true },
    at,
  );
};

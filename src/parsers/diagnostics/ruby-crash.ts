// Parses Ruby errors: `file.rb:line:in 'method': message (Class)`, then the stack; syntax errors name their location.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const RAISED = /^(\S{1,400}\.(?:rb|ru|rake)|\S*Rakefile):(\d{1,9}):in [`'].{1,400}?': (.+)$/;
const SYNTAX = /^(\S{1,400}\.(?:rb|ru|rake)|\S*Rakefile):(\d{1,9}): (syntax errors?\b.*)$/;

export const rubyCrash: DiagnosticReader = (lines, at) => {
  const text = lines[at] ?? "";
  const [, , , raised = ""] = RAISED.exec(text) ?? [];
  const [, file, line, message] = SYNTAX.exec(raised) ?? SYNTAX.exec(text) ?? RAISED.exec(text) ?? [];
  if (file === undefined || message === undefined) return undefined;
  const diagnostic = {
    tool: "ruby",
    severity: "error",
    file,
    line: Number(line),
    message,
    crash: true,
  } as const;
  return withContext(diagnostic, {
    lines,
    at,
    belongs: (next) => /^\s+(?!from <internal:|from \/)\S|^> ?\d+ /.test(next),
  });
};

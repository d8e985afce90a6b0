// Parses tsc: plain `a.ts(3,7): error TS2322: …` (also MSBuild) and pretty `a.ts:3:7 - error TS2322: …` (also pyright).
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const PLAIN =
  /^\s*(\S[^()]{0,400}?)\((\d{1,9})(?:,(\d{1,9}))?(?:,\d+,\d+)?\): (error|warning) ([A-Z]{1,6}\d{1,6}): (.+)$/;
const PRETTY = /^\s*(\S.{0,400}?):(\d{1,9}):(\d{1,9}) - (error|warning)(?: (TS\d{1,6}))?: (.+)$/;
/** MSBuild appends the project to every message. */
const PROJECT = /\s\[[^[\]]+proj(?:::[^[\]]*)?\]$/;
const INDENTED = /^\s+\S/;
/** Pretty output numbers the quoted source lines. */
const QUOTED = /^(?:\s+\S|\d+ )/;

export const typescript: DiagnosticReader = (lines, at) => {
  const text = lines[at] ?? "";
  const [, file, line, column, severity, code, message] = PRETTY.exec(text) ?? PLAIN.exec(text) ?? [];
  if (file === undefined || message === undefined) return undefined;
  const diagnostic = {
    tool: toolOf(file, code),
    severity: severity === "warning" ? ("warning" as const) : ("error" as const),
    file,
    line: Number(line),
    column: Number(column ?? 0),
    ...(code !== undefined && { code }),
    message: message.replace(PROJECT, ""),
  };
  const isStart = (next: string) => PRETTY.test(next) || PLAIN.test(next);
  const isMore = (next: string) => QUOTED.test(next) && !isStart(next);
  const isQuoting = isMore(lines[at + 2] ?? "") && (lines[at + 1] ?? "x").trim() === "";
  return withContext(diagnostic, {
    lines,
    at,
    belongs: (next, index) => {
      if (!isQuoting) return INDENTED.test(next) && !isStart(next);
      return next.trim() === "" ? isMore(lines[index + 1] ?? "") : isMore(next);
    },
  });
};

function toolOf(file: string, code: string | undefined): string {
  if (code === undefined) return /\.pyi?$/.test(file) ? "pyright" : "compiler";
  return code.startsWith("TS") ? "tsc" : "MSBuild";
}

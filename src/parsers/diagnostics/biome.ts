// Parses Biome: a heading with location and rule, filled up with dashes, then the message with the source.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const HEADING =
  /^(\S.{0,400}?\.\w{1,10})(?::(\d{1,9}):(\d{1,9}))? ((?:lint|assist|format|parse|suppressions|syntax|organizeImports)[\w/]*)(?: .*)? ━{3,}$/;
const COMPLAINT = /^ {2}([×!✖⚠]) (\S.*)$/;
const LOOK_AHEAD = 3;

export const biome: DiagnosticReader = (lines, at) => {
  const [, file, line, column, code] = HEADING.exec(lines[at] ?? "") ?? [];
  if (file === undefined || code === undefined) return undefined;
  const below = lines.slice(at + 1, at + 1 + LOOK_AHEAD).findIndex((next) => COMPLAINT.test(next));
  if (below < 0) return undefined;
  const start = at + 1 + below;
  const [, sign, message = ""] = COMPLAINT.exec(lines[start] ?? "") ?? [];
  const diagnostic = {
    tool: "biome",
    severity: sign === "!" || sign === "⚠" ? ("warning" as const) : ("error" as const),
    file,
    ...(line !== undefined && { line: Number(line), column: Number(column) }),
    code,
    message,
  };
  return withContext(diagnostic, {
    lines,
    at: start,
    belongs: (next) => /^ {2}/.test(next) && !COMPLAINT.test(next),
  });
};

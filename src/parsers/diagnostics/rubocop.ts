// Parses RuboCop: `file:line:column: C: Department/Cop: message`, then the source. It fails on every offense.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const OFFENSE =
  /^(\S.{0,400}?):(\d{1,9}):(\d{1,9}): [CRWEFI]: (?:\[(Corrected|Correctable|Todo)\] )?([A-Z]\w{0,60}(?:\/\w{1,100})+): (\S.*)$/;

export const rubocop: DiagnosticReader = (lines, at) => {
  const [, file, line, column, state, code, message] = OFFENSE.exec(lines[at] ?? "") ?? [];
  if (file === undefined || code === undefined || message === undefined) return undefined;
  const place = { file, line: Number(line), column: Number(column) };
  const match = withContext(
    { tool: "rubocop", severity: "error", ...place, code, message },
    { lines, at, belongs: (next) => next.trim() !== "" && !OFFENSE.test(next) },
  );
  return state === "Corrected" ? { ...match, diagnostics: [] } : match;
};

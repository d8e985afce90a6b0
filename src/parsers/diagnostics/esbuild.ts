// Parses esbuild: a headline, an empty line, then the location with the annotated source.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

const HEADLINE = /^\S{1,3} \[(ERROR|WARNING)\] (\S.*)$/;
const PLACE = /^ {4}(\S.{0,400}?):(\d{1,9}):(\d{1,9}):$/;
const LOOK_AHEAD = 4;

export const esbuild: DiagnosticReader = (lines, at) => {
  const [, severity, message] = HEADLINE.exec(lines[at] ?? "") ?? [];
  if (message === undefined) return undefined;
  const below = lines.slice(at + 1, at + 1 + LOOK_AHEAD).findIndex((line) => PLACE.test(line));
  if (below < 0) return undefined;
  const start = at + 1 + below;
  const [, file = "", line, column] = PLACE.exec(lines[start] ?? "") ?? [];
  const diagnostic = {
    tool: "esbuild",
    severity: severity === "WARNING" ? ("warning" as const) : ("error" as const),
    file,
    line: Number(line),
    column: Number(column),
    message,
  };
  return withContext(diagnostic, { lines, at: start, belongs: (next) => next.trim() !== "" });
};

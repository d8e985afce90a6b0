// Parses `go build`, `go vet` and Go linters: `./file.go:line:column: message`, continued on indented lines.
import { type DiagnosticReader, withContext } from "./diagnostic.ts";

/** Requires a column, because log lines have none. */
const LINE = /^(?:vet: )?(\S{1,400}\.go):(\d{1,9}):(\d{1,9}): (\S.*)$/;

export const goBuild: DiagnosticReader = (lines, at) => {
  const [, file, line, column, message] = LINE.exec(lines[at] ?? "") ?? [];
  if (file === undefined || message === undefined) return undefined;
  return withContext(
    { tool: "go", severity: "error", file, line: Number(line), column: Number(column), message },
    { lines, at, belongs: (next) => /^\s+\S/.test(next) },
  );
};

// Parses ShellCheck's terminal output: `In FILE line N:`, the line, then one arrow per message. It fails on every one.
import type { Diagnostic, DiagnosticReader } from "./diagnostic.ts";

const HEADING = /^In (\S.{0,400}) line (\d{1,9}):$/;
const COMPLAINT = /^\s*\^-+\^?\s*(SC\d{4}) \((?:error|warning|info|style)\): (.+)$/;

export const shellcheck: DiagnosticReader = (lines, at) => {
  const [, file, line] = HEADING.exec(lines[at] ?? "") ?? [];
  if (file === undefined) return undefined;
  const source = lines[at + 1] ?? "";
  const diagnostics: Diagnostic[] = [];
  let next = at + 2;
  for (; next < lines.length; next++) {
    const [, code, message] = COMPLAINT.exec(lines[next] ?? "") ?? [];
    if (code === undefined || message === undefined) break;
    const row = Number(line);
    diagnostics.push({
      tool: "shellcheck",
      severity: "error",
      file,
      line: row,
      column: diagnostics.length,
      code,
      message,
      context: [source],
    });
  }
  return diagnostics.length > 0 ? { diagnostics, next } : undefined;
};

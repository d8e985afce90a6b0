// Parses rustc, clippy and ruff: a headline, then ` --> file:line:column`, then the annotated source.
import { type Diagnostic, type DiagnosticReader, withContext } from "./diagnostic.ts";

const RUSTC = /^(error|warning)(?:\[(\w+)\])?: (.+)$/;
const RUFF = /^([A-Z]{1,6}\d{2,5}|[a-z]+(?:-[a-z]+)*):? (?:\[\*\] )?(.+)$/;
/** The label beside rustc's carets: "mismatched types" alone is the same for every mismatch in a file. */
const LABEL = /\^+ (\S.*)$/;
const ARROW = /^\s*--> (\S.{0,400}?):(\d{1,9}):(\d{1,9})$/;

export const arrowBlock: DiagnosticReader = (lines, at) => {
  const [, file, line, column] = ARROW.exec(lines[at + 1] ?? "") ?? [];
  if (file === undefined) return undefined;
  const text = lines[at] ?? "";
  const [, severity, rustCode, rustMessage] = RUSTC.exec(text) ?? [];
  const [, ruffCode, complaint] = severity === undefined ? (RUFF.exec(text) ?? []) : [];
  const message = rustMessage ?? complaint;
  if (message === undefined) return undefined;
  const code = rustCode ?? ruffCode;
  const diagnostic = {
    tool: ruffCode === undefined ? "rustc" : "ruff",
    severity: severity === "warning" ? ("warning" as const) : ("error" as const),
    file,
    line: Number(line),
    column: Number(column),
    ...(code !== undefined && { code }),
    message,
  };
  const match = withContext(diagnostic, { lines, at, belongs: (next) => next.trim() !== "" });
  return { ...match, diagnostics: match.diagnostics.map(withLabel) };
};

function withLabel(diagnostic: Diagnostic): Diagnostic {
  const label = diagnostic.context?.flatMap((line) => LABEL.exec(line)?.[1] ?? [])[0];
  if (diagnostic.tool !== "rustc" || label === undefined) return diagnostic;
  return { ...diagnostic, message: `${diagnostic.message}: ${label}` };
}

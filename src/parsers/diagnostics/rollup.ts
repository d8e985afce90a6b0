// Parses Rollup and Rolldown, alone and in `vite build`: a build stops at its first errors.
import { type DiagnosticMatch, type DiagnosticReader, withContext } from "./diagnostic.ts";

/** The headline of Rollup, and of vite up to version 7. */
const ROLLUP = /^\[!\] (?:\(plugin [^()]{1,100}\) )?(?:\w{1,50}: )?(\S.*)$/;
const VITE = /^error during build:$/;
const PLUGIN = /^(?:\[[\w:-]{1,100}\]:? )?(?:\w{0,50}Error: )?/;
/** `file (line:column): ` before the message, or a file at its end. */
const PLACE = /^(\S.{0,400}?) \((\d{1,9}):(\d{1,9})\): (\S.*)$/;
const IMPORTER = / from "([^"]{1,400})"\.?$/;

const ROLLDOWN = /^\[([A-Z][A-Z_]{2,60})\] (\S.*)$/;
const DRAWING = /^\s*╭─\[ (\S.{0,400}?):(\d{1,9}):(\d{1,9}) \]$/;
const FRAME = /^\s+at \S/;

export const rollup: DiagnosticReader = (lines, at) => rolldown(lines, at) ?? readMessage(lines, at);

function rolldown(lines: readonly string[], at: number): DiagnosticMatch | undefined {
  const [, code, message] = ROLLDOWN.exec(lines[at] ?? "") ?? [];
  const [, file, line, column] = DRAWING.exec(lines[at + 1] ?? "") ?? [];
  if (code === undefined || message === undefined || file === undefined) return undefined;
  const place = { file, line: Number(line), column: Number(column) };
  const diagnostic = { tool: "rollup", severity: "error" as const, ...place, code, message };
  return withContext(diagnostic, { lines, at: at + 1, belongs: (next) => !/^\s*(?:─+╯)?$/.test(next) });
}

function readMessage(lines: readonly string[], at: number): DiagnosticMatch | undefined {
  const text = lines[at] ?? "";
  const start = VITE.test(text) ? at + 1 : at;
  const headline = start === at ? ROLLUP.exec(text)?.[1] : lines[start];
  const message = headline?.replace(PLUGIN, "") ?? "";
  const [, placed, line, column, rest] = PLACE.exec(message) ?? [];
  const file = placed ?? IMPORTER.exec(message)?.[1];
  if (file === undefined) return undefined;
  const diagnostic = {
    tool: "rollup",
    severity: "error" as const,
    file,
    ...(line !== undefined && { line: Number(line), column: Number(column) }),
    message: rest ?? message,
  };
  return withContext(diagnostic, { lines, at: start, belongs: (next) => !FRAME.test(next) });
}

// Parses ESLint: stylish (a file, its messages indented below), unix and compact (one line each); also standard.
import { type Diagnostic, type DiagnosticReader, withoutContext } from "./diagnostic.ts";

const FILE = /^(?:[A-Za-z]:)?[^\s:][^:]{0,400}$/;
const ROW = /^ +(\d{1,9}):(\d{1,9}) +(error|warning) +(\S.*?)(?: {2,}([@\w/.-]+))?$/;
const UNIX = /^(\S.{0,400}?):(\d{1,9}):(\d{1,9}): (.+) \[(Error|Warning)(?:\/([@\w/.-]+))?\]$/;
const COMPACT =
  /^(\S.{0,400}?): line (\d{1,9}), col (\d{1,9}), (Error|Warning) - (.+?)(?: \(([@\w/.-]+)\))?$/;

/** Standard fails on everything that it prints. */
const STANDARD = /^ {2}(\S.{0,400}?\.\w{1,8}):(\d{1,9}):(\d{1,9}): (.+?)(?: \(([@\w/.-]+)\))?$/;

interface Complaint {
  readonly file: string;
  readonly line: string | undefined;
  readonly column: string | undefined;
  readonly severity: string | undefined;
  readonly message: string;
  readonly code: string | undefined;
}

function diagnosticOf({ file, line, column, severity, message, code }: Complaint): Diagnostic {
  return {
    tool: "eslint",
    severity: severity?.toLowerCase() === "warning" ? "warning" : "error",
    file,
    line: Number(line),
    column: Number(column),
    ...(code !== undefined && { code }),
    message,
  };
}

function rowsBelow(lines: readonly string[], at: number): readonly Diagnostic[] {
  const file = lines[at] ?? "";
  const rows: Diagnostic[] = [];
  for (let next = at + 1; next < lines.length; next++) {
    const [, line, column, severity, message, code] = ROW.exec(lines[next] ?? "") ?? [];
    if (message === undefined) break;
    rows.push(diagnosticOf({ file, line, column, severity, message, code }));
  }
  return rows;
}

function oneLineComplaint(text: string): Diagnostic | undefined {
  const [, file, line, column, message, severity, code] = UNIX.exec(text) ?? [];
  if (file !== undefined && message !== undefined)
    return diagnosticOf({ file, line, column, severity, message, code });
  const [, path, row, place, level, problem, rule] = COMPACT.exec(text) ?? [];
  if (path !== undefined && problem !== undefined)
    return diagnosticOf({
      file: path,
      line: row,
      column: place,
      severity: level,
      message: problem,
      code: rule,
    });
  const [, name, at, character, words, id] = STANDARD.exec(text) ?? [];
  if (name === undefined || words === undefined) return undefined;
  return diagnosticOf({
    file: name,
    line: at,
    column: character,
    severity: "error",
    message: words,
    code: id,
  });
}

export const eslint: DiagnosticReader = (lines, at) => {
  const text = lines[at] ?? "";
  const diagnostics = FILE.test(text) ? rowsBelow(lines, at) : [];
  if (diagnostics.length > 0) return { diagnostics, next: at + 1 + diagnostics.length };
  const complaint = oneLineComplaint(text);
  return complaint && withoutContext(complaint, at);
};

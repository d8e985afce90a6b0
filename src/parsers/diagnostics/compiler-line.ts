// Parses gcc-style `file:line:column: error: message`: C and C++ compilers, javac, kotlinc, swiftc, mypy.
import { type DiagnosticReader, type Severity, withContext } from "./diagnostic.ts";
import { withSymbol } from "./jvm-build.ts";

/** Severities in the languages that compilers are translated to; the rest of the line is the same in all of them. */
const SEVERITIES: Readonly<Record<Severity | "note", string>> = {
  error:
    "(?:fatal |internal compiler )?error|(?:schwerwiegender |interner Compiler-)?Fehler|(?:致命的)?エラー|(?:致命)?错误|erreur(?: fatale)?|error(?: fatal)?|errore(?: irreversibile)?|erro(?: fatal)?|ошибка|오류|fout|błąd",
  warning: "warning|Warnung|警告|avertissement|attention|advertencia|attenzione|aviso|предупреждение|경고",
  note: "note|Anmerkung|備考|附注|remarque|nota|замечание|info|style|hint",
};
const PLACE = String.raw`^((?:[A-Za-z]:)?[^:\s][^:]{0,400}\.\w{1,8}):(\d{1,9})(?::(\d{1,9}))?`;
const LINE = new RegExp(
  `${PLACE}: (?:(${SEVERITIES.error})|(${SEVERITIES.warning})|(${SEVERITIES.note})) ?[:：] *(\\S.*)$`,
  "i",
);
const CARET = /^\s*[~^]+[\s~^]*$/;
const INDENTED = /^\s+\S/;
/** mypy --pretty wraps long messages; the code is at their end. */
const WRAPPED = /\[[a-z-]+\]$/;

const TOOLS: readonly (readonly [tool: string, extension: RegExp])[] = [
  ["mypy", /\.pyi?$/],
  ["javac", /\.java$/],
  ["kotlinc", /\.kts?$/],
  ["swiftc", /\.swift$/],
  ["shellcheck", /\.(?:sh|bash|bats)$/],
  ["C compiler", /\.[ch]$/],
  ["C++ compiler", /\.(?:cc|cpp|cxx|c\+\+|hh|hpp|hxx|ipp|tpp)$/i],
];

export const compilerLine: DiagnosticReader = (lines, at) => {
  const [, file, line, column, error, warning, , message] = LINE.exec(lines[at] ?? "") ?? [];
  if (file === undefined || message === undefined) return undefined;
  const tool = TOOLS.find(([, extension]) => extension.test(file))?.[0] ?? "compiler";
  // shellcheck fails on every severity.
  const isError = error !== undefined || tool === "shellcheck";
  if (!isError && warning === undefined) return { diagnostics: [], next: at + 1 };
  const match = withContext(
    {
      tool,
      severity: isError ? "error" : "warning",
      file,
      line: Number(line),
      ...(column !== undefined && { column: Number(column) }),
      message,
    },
    {
      lines,
      at,
      belongs: // The quoted source may be unindented; the caret below it identifies it.
        (next, index) => {
          if (LINE.test(next)) return false;
          if (INDENTED.test(next) || CARET.test(lines[index + 1] ?? "")) return true;
          return tool === "mypy" && !WRAPPED.test(message) && WRAPPED.test(next);
        },
    },
  );
  return tool === "javac" ? withSymbol(match) : match;
};

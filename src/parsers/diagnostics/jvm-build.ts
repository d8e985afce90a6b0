// Parses compile errors of Maven (`[ERROR] /path/A.java:[12,8] …`) and Gradle's Kotlin (`e: file:///path/A.kt:12:8 …`).
import { type DiagnosticMatch, type DiagnosticReader, withContext, withoutContext } from "./diagnostic.ts";

const MAVEN = /^\[(ERROR|WARNING)\] (\S.{0,400}?):\[(\d{1,9})(?:,(\d{1,9}))?\] (.+)$/;
const MAVEN_MORE = /^(?:\[(?:ERROR|WARNING)\])? {2,}\S/;
const KOTLIN =
  /^([ew]): (?:file:\/\/)?(\S.{0,400}?\.kts?):(?:(\d{1,9}):(\d{1,9}):?| \((\d{1,9}), (\d{1,9})\):) (.+)$/;

/** In all languages of javac: English, German, Japanese and Chinese. */
const SYMBOL = /^(?:\[ERROR\])?\s+(?:symbol|シンボル|符号): +(\S.*)$/i;

/** Adds the symbol, which javac prints below the message; without it, all such errors of a file are equal. */
export function withSymbol({ diagnostics, next }: DiagnosticMatch): DiagnosticMatch {
  const named = diagnostics.map((each) => {
    const symbol = each.context?.flatMap((line) => SYMBOL.exec(line)?.[1] ?? [])[0];
    return symbol === undefined ? each : { ...each, message: `${each.message}: ${symbol}` };
  });
  return { diagnostics: named, next };
}

export const jvmBuild: DiagnosticReader = (lines, at) => {
  const text = lines[at] ?? "";
  const [, level, file, line, column, message] = MAVEN.exec(text) ?? [];
  if (file !== undefined && message !== undefined) {
    const severity = level === "WARNING" ? ("warning" as const) : ("error" as const);
    const place = { file, line: Number(line), column: Number(column ?? 0) };
    const isMore = (next: string) => MAVEN_MORE.test(next);
    return withSymbol(
      withContext({ tool: "Maven", severity, ...place, message }, { lines, at, belongs: isMore }),
    );
  }
  const [, letter, path, row, place, oldRow, oldPlace, kotlinMessage] = KOTLIN.exec(text) ?? [];
  if (path === undefined || kotlinMessage === undefined) return undefined;
  const severity = letter === "w" ? ("warning" as const) : ("error" as const);
  const where = { file: path, line: Number(row ?? oldRow), column: Number(place ?? oldPlace) };
  return withoutContext({ tool: "kotlinc", severity, ...where, message: kotlinMessage }, at);
};

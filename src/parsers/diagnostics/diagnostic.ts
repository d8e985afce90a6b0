// What compilers and linters complain about, in one shape for all of them.
import type { Failure } from "#spec/verdict";
import { failure } from "../shared/failure.ts";

export type Severity = "error" | "warning";

export interface Diagnostic {
  readonly tool: string;
  readonly severity: Severity;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** What the tool calls this kind of complaint: `TS2322`, `no-undef`. */
  readonly code?: string;
  readonly message: string;
  /** The lines below it: source, carets, types. */
  readonly context?: readonly string[];
  /** A program that broke while it ran. Other output may say more than its stack does. */
  readonly crash?: boolean;
  /** Set where the file is named from the folder of a package, and nobody says where that is. */
  readonly package?: string;
}

export interface Found {
  readonly diagnostics: readonly Diagnostic[];
  /** The first line that is not part of them. */
  readonly next: number;
}

/** Reads what begins at line `at`; undefined: nothing of this tool does. Looks ahead over few lines only. */
export type DiagnosticReader = (lines: readonly string[], at: number) => Found | undefined;

const CONTEXT_LINES = 16;

/** One diagnostic, and the lines below it that belong to it. */
export function withContext(
  diagnostic: Diagnostic,
  lines: readonly string[],
  at: number,
  belongs: (line: string, at: number) => boolean,
): Found {
  let next = at + 1;
  while (next < lines.length && next - at <= CONTEXT_LINES && belongs(lines[next] ?? "", next)) next++;
  const context = lines.slice(at + 1, next);
  return { diagnostics: [context.length > 0 ? { ...diagnostic, context } : diagnostic], next };
}

/** One diagnostic that says all in its line. */
export function single(diagnostic: Diagnostic, at: number): Found {
  return { diagnostics: [diagnostic], next: at + 1 };
}

/** The line number is no part of the identity: it moves when lines are added above. */
export function failureFrom(diagnostic: Diagnostic): Failure {
  const { file, line, code, message, context = [], package: owner } = diagnostic;
  const headline = code === undefined ? message : `${code} ${message}`;
  const path = file.replace(/^(?:\.\/)+/, "");
  return failure({
    id: `${owner === undefined ? "" : `${owner} > `}${path}: ${headline}`,
    message: [headline, ...context.filter((text) => text.trim() !== "")].join("\n"),
    location: line === undefined ? undefined : `${path}:${line}`,
  });
}

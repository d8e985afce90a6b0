// Common shape of the diagnostics of compilers and linters.
import type { Failure } from "#spec/verdict";
import { failure } from "../shared/failure.ts";

export type Severity = "error" | "warning";

export interface Diagnostic {
  readonly tool: string;
  readonly severity: Severity;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The tool's code or rule: `TS2322`, `no-undef`. */
  readonly code?: string;
  readonly message: string;
  /** The lines below it: source, carets, types. */
  readonly context?: readonly string[];
  /** A program that crashed while it ran. Other output may say more than its stack. */
  readonly crash?: boolean;
  /** Set when the file is relative to a package whose folder is unknown. */
  readonly package?: string;
}

export interface DiagnosticMatch {
  readonly diagnostics: readonly Diagnostic[];
  /** The first line after them. */
  readonly next: number;
}

/** Parses what starts at line `at`; undefined when it is not this tool's. Looks only a few lines ahead. */
export type DiagnosticReader = (lines: readonly string[], at: number) => DiagnosticMatch | undefined;

const CONTEXT_LINES = 16;

export interface ContextOptions {
  readonly lines: readonly string[];
  /** The last line of the diagnostic itself. */
  readonly at: number;
  /** Whether a line below belongs to the diagnostic. */
  belongs(line: string, at: number): boolean;
}

/** One diagnostic with the lines below it that belong to it. */
export function withContext(diagnostic: Diagnostic, { lines, at, belongs }: ContextOptions): DiagnosticMatch {
  let next = at + 1;
  while (next < lines.length && next - at <= CONTEXT_LINES && belongs(lines[next] ?? "", next)) next++;
  const context = lines.slice(at + 1, next);
  return { diagnostics: [context.length > 0 ? { ...diagnostic, context } : diagnostic], next };
}

/** One diagnostic on a single line. */
export function withoutContext(diagnostic: Diagnostic, at: number): DiagnosticMatch {
  return { diagnostics: [diagnostic], next: at + 1 };
}

/** The identity excludes the line number, which moves when lines are added above. */
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

// Parses `message at FILE line N.` from a Perl program that does not compile or that died.
import { perlErrorAt } from "../shared/perl-errors.ts";
import type { DiagnosticReader } from "./diagnostic.ts";

const PERL = /\.(?:p[lm]|PL|t|psgi|cgi)$/;

export const perlCrash: DiagnosticReader = (lines, at) => {
  const error = perlErrorAt(lines, at);
  if (error === undefined || !PERL.test(error.file)) return undefined;
  const { message, file, line } = error;
  const context = error.lines.slice(1);
  const diagnostic = { tool: "perl", severity: "error", file, line, message, crash: true } as const;
  return { diagnostics: [context.length > 0 ? { ...diagnostic, context } : diagnostic], next: error.next };
};

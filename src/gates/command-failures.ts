// Failures of a command: its failing tests, else errors of compilers and linters, else an excerpt of the output.

import {
  type Diagnostics,
  findDiagnostics,
  findPackageDiagnostics,
} from "#parsers/diagnostics/find-diagnostics";
import type { Failure } from "#spec/verdict";
import { isErrorLine } from "#text/error-lines";
import { excerptOf } from "./excerpt.ts";
import type { CommandRun } from "./run-command.ts";

type Output = Pick<CommandRun, "stdout" | "stderr">;

const EXCERPT_CHARS = 4_000;

/** Undefined on success, and when tests failed: errors printed beside failing tests mostly belong to them. */
export function diagnosticsOf(outcome: CommandRun, expectedCode: number): Diagnostics | undefined {
  const { end, report, packages, stdout, stderr } = outcome;
  if (end.exitCode === expectedCode || (report && report.counts.failed > 0)) return undefined;
  const options = { crashes: report === undefined };
  return packages
    ? findPackageDiagnostics(packages, options)
    : findDiagnostics(`${stdout}\n${stderr}`, options);
}

export interface Problem {
  readonly summary: string;
  /** Why the number of tests is too low. */
  readonly tooFew: string | undefined;
  readonly diagnostics: Diagnostics | undefined;
}

export function failuresOf(
  outcome: CommandRun,
  { summary, tooFew, diagnostics }: Problem,
): readonly Failure[] {
  const failures = diagnostics ? withRest(diagnostics) : (outcome.report?.failures ?? []);
  if (failures.length === 0) return [unrecognised(summary, outcome)];
  // Missing tests are a separate failure, so that known failing tests cannot excuse them.
  return tooFew === undefined ? failures : [{ message: tooFew }, ...failures];
}

/** For output that no parser recognises: the summary, then an excerpt that starts at the first error. */
export function unrecognised(summary: string, { stdout, stderr }: Output): Failure {
  const output = excerptOf(stdout, stderr, EXCERPT_CHARS);
  return { message: output ? `${summary}\n${output}` : summary };
}

/** Adds the remaining output of a crashed program, which may explain the crash. */
function withRest({ failures, rest }: Diagnostics): readonly Failure[] {
  if (!rest.split("\n").some(isErrorLine)) return failures;
  return [...failures, { message: excerptOf(rest, "", EXCERPT_CHARS) }];
}

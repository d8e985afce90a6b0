// What is wrong with a command that failed: its failing tests, else the errors of compilers and linters, else an excerpt.

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

/** Failing tests say what is wrong; errors printed beside them are mostly theirs. */
export function diagnosticsOf(outcome: CommandRun, expectedCode: number): Diagnostics | undefined {
  const { end, report, packages, stdout, stderr } = outcome;
  if (end.exitCode === expectedCode || (report && report.counts.failed > 0)) return undefined;
  const options = { crashes: report === undefined };
  return packages
    ? findPackageDiagnostics(packages, options)
    : findDiagnostics(`${stdout}\n${stderr}`, options);
}

export interface Complaint {
  readonly summary: string;
  /** What is wrong with the number of tests. */
  readonly few: string | undefined;
  readonly diagnostics: Diagnostics | undefined;
}

export function failuresOf(
  outcome: CommandRun,
  { summary, few, diagnostics }: Complaint,
): readonly Failure[] {
  const failures = diagnostics ? withRest(diagnostics) : (outcome.report?.failures ?? []);
  if (failures.length === 0) return [unrecognised(summary, outcome)];
  // Tests that are gone are a failure of their own: failing tests that were known before must not excuse it.
  return few === undefined ? failures : [{ message: few }, ...failures];
}

/** Output that no parser knows: the complaint, then the excerpt, the first error on top. */
export function unrecognised(complaint: string, { stdout, stderr }: Output): Failure {
  const output = excerptOf(stdout, stderr, EXCERPT_CHARS);
  return { message: output ? `${complaint}\n${output}` : complaint };
}

/** A program that crashed may have said before what is wrong. */
function withRest({ failures, rest }: Diagnostics): readonly Failure[] {
  if (!rest.split("\n").some(isErrorLine)) return failures;
  return [...failures, { message: excerptOf(rest, "", EXCERPT_CHARS) }];
}

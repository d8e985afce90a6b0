// Shared types of the levels: each check has an id known in advance and its own result.

import { failure } from "#parsers/shared/failure";
import type { JudgeRequest } from "#spec/gate";
import type { CheckResult, Failure, TestCounts } from "#spec/verdict";
import { listFiles } from "#system/files-inside";

/** Input of a level. */
export interface CheckContext {
  readonly request: JudgeRequest;
  readonly signal: AbortSignal;
  /** The files of the workspace, cached after the first call. */
  files(): Promise<readonly string[]>;
}

export interface Result {
  readonly id: string;
  readonly status: Exclude<CheckResult["status"], "not-run">;
  /** Empty when the check passed. */
  readonly failures: readonly Failure[];
  /** Only for a check that runs tests. */
  readonly tests?: TestCounts;
  /** The check cannot run on this machine, whatever the files are. */
  readonly unable?: true;
}

export interface Level {
  readonly number: number;
  readonly name: string;
  readonly ids: readonly string[];
  /** Yields results as they come; a check without a result was not run. */
  run(context: CheckContext): AsyncIterable<Result>;
}

/** An independent check. */
export interface Check {
  readonly id: string;
  run(context: CheckContext): Promise<Result>;
}

type Finding = Parameters<typeof failure>[0];

const MOST_FINDINGS = 50;

/** The id as shown in failures: one line of plain text. */
export const shownId = (id: string): string => failure({ id }).id ?? id;

const passed = (id: string): Result => ({ id, status: "passed", failures: [] });

/** Passes without findings. Findings in several files get one id per file. */
export function resultOf(id: string, findings: readonly Finding[]): Result {
  if (findings.length === 0) return passed(id);
  const more = findings.length - MOST_FINDINGS;
  const failures = findings.slice(0, MOST_FINDINGS).map((each) => failure({ id, ...each }));
  return {
    id,
    status: "failed",
    failures: more > 0 ? [...failures, failure({ id, message: `and ${more} more` })] : failures,
  };
}

export const errored = (id: string, message: string): Result => ({
  id,
  status: "errored",
  failures: [failure({ id, message })],
});

/** Reports an exception (an unreadable file, a pattern that times out) as errored, never as passed. */
export async function attempt(id: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    return errored(id, `could not be checked: ${(error as Error).message}`);
  }
}

/** Makes a level of independent checks. */
export function levelOf(number: number, name: string, checks: readonly Check[]): Level {
  return {
    number,
    name,
    ids: checks.map(({ id }) => id),
    async *run(context) {
      for (const check of checks) {
        if (context.signal.aborted) return;
        yield await attempt(check.id, () => check.run(context));
      }
    },
  };
}

export function contextFor(request: JudgeRequest, signal: AbortSignal): CheckContext {
  let cached: Promise<readonly string[]> | undefined;
  return {
    request,
    signal,
    files: () => {
      cached ??= listFiles(request.dir);
      return cached;
    },
  };
}

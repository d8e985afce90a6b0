// What the levels have in common: checks that are known beforehand by their ids, each with a result of its own.

import { failure } from "#parsers/shared/failure";
import type { JudgeRequest } from "#spec/gate";
import type { CheckResult, Failure, TestCounts } from "#spec/verdict";
import { listFiles } from "#system/files-inside";

/** What a level looks at. */
export interface Look {
  readonly request: JudgeRequest;
  readonly signal: AbortSignal;
  /** The files of the workspace; listed once. */
  files(): Promise<readonly string[]>;
}

export interface Result {
  readonly id: string;
  readonly status: Exclude<CheckResult["status"], "not-run">;
  /** What was found; nothing when it passed. */
  readonly failures: readonly Failure[];
  /** Of a check that runs tests. */
  readonly tests?: TestCounts;
  /** The check cannot be made here, whatever the files are. */
  readonly unable?: true;
}

export interface Level {
  readonly number: number;
  readonly name: string;
  readonly ids: readonly string[];
  /** The results as they come; a check that gets none was not run. */
  run(look: Look): AsyncIterable<Result>;
}

/** A check that stands for itself. */
export interface Check {
  readonly id: string;
  run(look: Look): Promise<Result>;
}

type Found = Parameters<typeof failure>[0];

const KEPT = 50;

/** The id as it stands in failures: on one line, and inert. */
export const shownId = (id: string): string => failure({ id }).id ?? id;

const passed = (id: string): Result => ({ id, status: "passed", failures: [] });

/** Passed when nothing was found. What was found in several files has an id of its own for each. */
export function resultOf(id: string, found: readonly Found[]): Result {
  if (found.length === 0) return passed(id);
  const more = found.length - KEPT;
  const failures = found.slice(0, KEPT).map((each) => failure({ id, ...each }));
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

/** A check that breaks (an unreadable file, a pattern that takes too long) has not passed. */
export async function attempt(id: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    return errored(id, `could not be checked: ${(error as Error).message}`);
  }
}

/** A level of checks that do not depend on each other. */
export function levelOf(number: number, name: string, checks: readonly Check[]): Level {
  return {
    number,
    name,
    ids: checks.map(({ id }) => id),
    async *run(look) {
      for (const check of checks) {
        if (look.signal.aborted) return;
        yield await attempt(check.id, () => check.run(look));
      }
    },
  };
}

export function lookAt(request: JudgeRequest, signal: AbortSignal): Look {
  let listed: Promise<readonly string[]> | undefined;
  return {
    request,
    signal,
    files: () => {
      listed ??= listFiles(request.dir);
      return listed;
    },
  };
}

// Converts finished runs to a verdict. Only jobs that ran and succeeded count as passed.
import type { Failure, Verdict } from "#spec/verdict";
import { counted } from "#text/format";
import { countJobs, describeConclusion, type Finished, isBad, isIdle, type JobCounts } from "./jobs.ts";
import { titleOf } from "./runs.ts";
import type { Subject } from "./subject.ts";

export type CiResult = Pick<Verdict, "status" | "score" | "summary" | "failures">;

const listRuns = (finished: readonly Finished[]) =>
  finished.map(({ run }) => `${titleOf(run)} ${describeConclusion(run.conclusion)}`).join(", ");

/** The runs that make the commit fail. */
export function badRuns(finished: readonly Finished[]): readonly Finished[] {
  return finished.filter(({ run }) => isBad(run.conclusion));
}

/** Below 1 unless the gate passes. */
function scoreOf({ passed, ran }: JobCounts): number {
  return ran === 0 ? 0 : Math.min(passed / ran, ran / (ran + 1));
}

/** The verdict when the commit does not have the judged files, so that CI results are about other files. */
export function notCommitted({ commit, tree }: Subject, judged: string): CiResult {
  const message = `the judged files are tree ${judged}, but commit ${commit} has tree ${tree}; commit all of them, and push`;
  return {
    status: "failed",
    score: 0,
    summary: "CI has not seen these files: commit and push them",
    failures: [{ id: "not committed", message: `CI has not seen these files: ${message}` }],
  };
}

function nothingVerified(finished: readonly Finished[]): CiResult {
  const summary = `nothing was verified: no job ran and passed (${listRuns(finished)})`;
  return {
    status: "failed",
    score: 0,
    summary,
    failures: [{ id: "nothing was verified", message: summary }],
  };
}

/** `failures` describe the bad runs. */
export function resultOf(finished: readonly Finished[], failures: readonly Failure[]): CiResult {
  const counts = countJobs(finished);
  const bad = badRuns(finished);
  if (bad.length > 0)
    return {
      status: "failed",
      score: scoreOf(counts),
      summary: `${listRuns(bad)}; ${counts.passed} of ${counted(counts.ran, "job")} passed`,
      failures,
    };
  if (counts.passed === 0) return nothingVerified(finished);
  const idle = finished.filter(({ run }) => isIdle(run.conclusion));
  // A job may fail without failing its run, when the workflow allows it.
  const excused = counts.ran - counts.passed;
  const summary = [
    `${counted(finished.length - idle.length, "workflow")} passed with ${counted(counts.passed, "job")}`,
    ...(excused > 0 ? [`${counted(excused, "job")} failed, as the workflow allows`] : []),
    ...(idle.length > 0 ? [listRuns(idle)] : []),
  ].join("; ");
  return { status: "passed", score: 1, summary, failures: [] };
}

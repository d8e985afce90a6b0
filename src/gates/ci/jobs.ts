// Reads the jobs of a run and counts their conclusions.
import type { Client } from "./client.ts";
import { type Job, jobsPage, type WorkflowRun } from "./shapes.ts";

export interface Finished {
  readonly run: WorkflowRun;
  readonly jobs: readonly Job[];
}

/** Reads the jobs of that attempt only, even if a new attempt begins meanwhile. */
export async function jobsOf(client: Client, run: WorkflowRun): Promise<Finished> {
  const jobs = await client.list(`actions/runs/${run.id}/attempts/${run.run_attempt}/jobs`, jobsPage);
  return { run, jobs };
}

const WORDS: Readonly<Record<string, string>> = {
  success: "passed",
  skipped: "was skipped",
  neutral: "is neutral",
  failure: "failed",
  timed_out: "timed out",
  cancelled: "was cancelled",
  action_required: "waits for approval",
  startup_failure: "failed to start, usually because of an error in its workflow file",
  stale: "became stale",
};

export function describeConclusion(conclusion: string): string {
  return WORDS[conclusion] ?? `ended without success (${conclusion || "no conclusion"})`;
}

export const isIdle = (conclusion: string) => conclusion === "skipped" || conclusion === "neutral";

/** Includes unknown conclusions: only success is success. */
export const isBad = (conclusion: string) => conclusion !== "success" && !isIdle(conclusion);

export interface JobCounts {
  readonly passed: number;
  /** Neither skipped nor neutral. */
  readonly ran: number;
}

export function countJobs(finished: readonly Finished[]): JobCounts {
  const ran = finished.flatMap(({ jobs }) => jobs).filter(({ conclusion }) => !isIdle(conclusion));
  return { ran: ran.length, passed: ran.filter(({ conclusion }) => conclusion === "success").length };
}

// What a gate answers.
import type { Usage } from "./agent.ts";

export type VerdictStatus = "passed" | "failed" | "waiting" | "skipped" | "errored";

export interface Failure {
  /** Identity of the failing test or check, stable over iterations; absent for a failure that is not a test. */
  readonly id?: string;
  readonly message: string;
  /** `path:line` where known. */
  readonly location?: string;
  readonly expected?: string;
  readonly actual?: string;
}

export interface TestCounts {
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of the failed: how many are no tests of their own but a hook, an unhandled error, a file that did not load. */
  readonly extra?: number;
}

/** Tests that ran, the one total that is shown: a skipped test is part of no fraction. */
export function ranTests({ passed, failed }: TestCounts): number {
  return passed + failed;
}

/** What became of one check of a gate that makes several. `warned` found something that is not to fail the gate. */
export interface CheckResult {
  /** As in the failures. */
  readonly id: string;
  readonly status: "passed" | "warned" | "failed" | "errored" | "not-run";
}

/** How the verdict was reached: enough to repeat it and to remember it. */
export interface Evidence {
  readonly command?: string;
  readonly exitCode?: number | null;
  /** The ends of the output, plain and bounded; the full logs lie in the iteration's folder. */
  readonly stdout?: string;
  readonly stderr?: string;
  /** The command was ended because its time was up. */
  readonly timedOut?: true;
}

export interface Verdict {
  readonly status: VerdictStatus;
  /** 0..1: 1 when passed, else the fraction of tests (or levels) that pass. */
  readonly score: number;
  /** One line for people. */
  readonly summary: string;
  readonly failures: readonly Failure[];
  /** Of an errored verdict: other files, or asking again, may mend it, so it does not stop the run. */
  readonly mendable?: true;
  /** Absent where the runner does not count its tests. */
  readonly tests?: TestCounts;
  /** Of a runner that names failing tests only: how many packages have tests. */
  readonly packages?: number;
  /** Of a gate with levels: how many of them pass, counted from level 0. */
  readonly levels?: number;
  /** Of a gate that makes several checks: every one of them, in order. */
  readonly checks?: readonly CheckResult[];
  readonly evidence: Evidence;
  readonly durationMs: number;
  /** Of a waiting verdict: when its time is up and the gate judges again. */
  readonly until?: string;
  /** Of a repeated gate: every outcome, in order. */
  readonly attempts?: readonly { readonly status: VerdictStatus; readonly summary: string }[];
  /** What an agent that judged used; it counts against the limits of the run. */
  readonly usage?: Usage;
  /** The tree that a clean room was made of. */
  readonly tree?: string;
  /** Carried over unjudged from this iteration, because nothing had changed. */
  readonly carriedFrom?: number;
}

/** It passed, but not every time it judged. */
export const isFlaky = ({ status, attempts = [] }: Verdict): boolean =>
  status === "passed" && attempts.some((attempt) => attempt.status !== "passed");

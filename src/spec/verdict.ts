// A gate's verdict.
import type { Usage } from "./agent.ts";

export type VerdictStatus = "passed" | "failed" | "waiting" | "skipped" | "errored";

export interface Failure {
  /** Id of the failing test or check, stable over iterations; absent for a failure that is not a test. */
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
  /** Failed entries that are not tests: a hook, an unhandled error, a file that did not load. */
  readonly extra?: number;
}

/** The number of tests that ran, the only total shown: skipped tests are in no fraction. */
export function ranTests({ passed, failed }: TestCounts): number {
  return passed + failed;
}

/** Result of one check of a gate with several. `warned`: a finding that does not fail the gate. */
export interface CheckResult {
  /** The id used in failures. */
  readonly id: string;
  readonly status: "passed" | "warned" | "failed" | "errored" | "not-run";
}

/** How the gate reached its verdict: enough to repeat it. */
export interface Evidence {
  readonly command?: string;
  readonly exitCode?: number | null;
  /** The end of the output as bounded plain text; the full logs are in the iteration's folder. */
  readonly stdout?: string;
  readonly stderr?: string;
  /** The command hit its timeout. */
  readonly timedOut?: true;
}

export interface Verdict {
  readonly status: VerdictStatus;
  /** 0..1: 1 when passed, else the fraction of tests (or levels) that pass. */
  readonly score: number;
  /** One line for users. */
  readonly summary: string;
  readonly failures: readonly Failure[];
  /** Errored verdict only: other files or a retry may fix it, so it does not stop the run. */
  readonly mendable?: true;
  /** Absent when the runner reports no counts. */
  readonly tests?: TestCounts;
  /** Number of packages with tests, for a runner that names failing tests only. */
  readonly packages?: number;
  /** Gate with levels: how many pass, counted from level 0. */
  readonly levels?: number;
  /** Gate with several checks: all of them, in order. */
  readonly checks?: readonly CheckResult[];
  readonly evidence: Evidence;
  readonly durationMs: number;
  /** Waiting verdict: the deadline, when the gate judges again. */
  readonly until?: string;
  /** Repeated gate: every outcome, in order. */
  readonly attempts?: readonly { readonly status: VerdictStatus; readonly summary: string }[];
  /** Usage of an agent that judged; counts against the run's limits. */
  readonly usage?: Usage;
  /** The tree that a clean room was created from. */
  readonly tree?: string;
  /** The iteration this verdict was carried over from, because nothing had changed. */
  readonly carriedFrom?: number;
}

/** Whether the gate passed, but not in every attempt. */
export const isFlaky = ({ status, attempts = [] }: Verdict): boolean =>
  status === "passed" && attempts.some((attempt) => attempt.status !== "passed");

/** A verdict without details: for gates that run no command, and for verdicts without judging. */
export function makeVerdict(
  status: VerdictStatus,
  summary: string,
  details: Partial<Omit<Verdict, "status" | "summary">> = {},
): Verdict {
  const score = status === "passed" ? 1 : 0;
  return { status, score, summary, failures: [], evidence: {}, durationMs: 0, ...details };
}

/** A failed verdict with a single failure. */
export function failedVerdict(summary: string, message = summary, score = 0): Verdict {
  return makeVerdict("failed", summary, { score, failures: [{ message }] });
}

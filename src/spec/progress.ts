// Progress numbers folded from verdicts, for people and for the prompt.
import type { TestCounts, VerdictStatus } from "./verdict.ts";

export type Trend = "improving" | "stagnant" | "regressing";

/** How many tests fail. */
export interface Failing {
  readonly now: number;
  /** In the iteration judged before, if the two counts are comparable. */
  readonly before?: number;
}

/** What the run is doing now. */
export interface Phase {
  readonly name:
    | "snapshot"
    | "agent"
    | "away"
    | "delayed"
    | "gate"
    | "decision"
    | "waiting"
    | "paused"
    | "ended";
  readonly gate?: string;
  /** Wall-clock start time. */
  readonly since: string;
}

export interface GateProgress {
  readonly gate: string;
  /** Status of the newest verdict; absent before the first. */
  readonly status?: VerdictStatus;
  readonly score: number;
  readonly summary: string;
  readonly tests?: TestCounts;
  /** From the failing counts of the last two verdicts if known, otherwise from their scores. */
  readonly trend: Trend;
  /** Scores since the baseline, oldest first. */
  readonly scores: readonly number[];
}

export interface Progress {
  readonly iteration: number;
  readonly maxIterations: number;
  readonly elapsedMs: number;
  readonly maxMs?: number;
  readonly phase: Phase;
  readonly overall: number;
  readonly gatesPassed: number;
  readonly gatesTotal: number;
  readonly byGate: readonly GateProgress[];
  /** Failing tests now and before, over all gates; absent when a gate reports no counts. */
  readonly failing?: Failing;
  readonly trend: Trend;
  /** Change of the overall score per iteration, over the last few. */
  readonly velocity: number;
  /** Estimated iterations until everything passes; absent without a forecast. */
  readonly remaining?: number;
  /** Overall scores since the baseline, oldest first. */
  readonly scores: readonly number[];
  readonly best?: { readonly iteration: number; readonly score: number };
  /** Sums of the reported usage; absent when no agent reported any. */
  readonly tokens?: number;
  readonly costUsd?: number;
}

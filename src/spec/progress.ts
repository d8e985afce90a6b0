// Numbers folded from verdicts, for people and for the prompt.
import type { TestCounts, VerdictStatus } from "./verdict.ts";

export type Trend = "improving" | "stagnant" | "regressing";

/** How many tests fail. */
export interface Failing {
  readonly now: number;
  /** In the iteration judged before, when the two counts can be compared. */
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
  /** Wall clock at which it began. */
  readonly since: string;
}

export interface GateProgress {
  readonly gate: string;
  /** Of the newest verdict; absent before the first. */
  readonly status?: VerdictStatus;
  readonly score: number;
  readonly summary: string;
  readonly tests?: TestCounts;
  /** From the failing counts of the last two verdicts where they are known, else from their scores. */
  readonly trend: Trend;
  /** Scores from the baseline on, oldest first. */
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
  /** Tests that fail now and failed before, over all gates; absent when a gate told no count. */
  readonly failing?: Failing;
  readonly trend: Trend;
  /** Change of the overall score per iteration, over the last few. */
  readonly velocity: number;
  /** Estimated iterations until everything passes; absent when nothing suggests an end. */
  readonly remaining?: number;
  /** Overall score from the baseline on, oldest first. */
  readonly scores: readonly number[];
  readonly best?: { readonly iteration: number; readonly score: number };
  /** Sums of what the agents reported; absent when none did. */
  readonly tokens?: number;
  readonly costUsd?: number;
}

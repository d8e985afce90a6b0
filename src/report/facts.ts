// The data of a report. Every format is a pure function of it.
import type { Command } from "#spec/command";
import type { Overview } from "#spec/overview";
import type { Iteration } from "#spec/run";
import type { Protect } from "#spec/task";
import type { FileChange } from "#spec/workspace";

/** A command that a person sent to the run. */
export interface ReceivedCommand {
  readonly time: string;
  readonly command: Command;
}

/** Protected files that an agent changed in one iteration. */
export interface ProtectedChange {
  readonly iteration: number;
  readonly changes: readonly FileChange[];
  readonly diff: string;
  readonly action: Protect["action"];
  /** A commit of the agent that still contains the change. */
  readonly commit?: string;
}

export interface ReportDiff {
  /** Absent for the whole run. */
  readonly iteration?: number;
  /** Truncated when long; empty when left out. */
  readonly text: string;
  /** Number of changed files. */
  readonly files: number;
  /** Whether the text is truncated. */
  readonly cut: boolean;
}

export interface ReportFacts {
  readonly overview: Overview;
  /** In the order of the overview's rows: first the baseline, when it was judged. */
  readonly iterations: readonly Iteration[];
  /** The iteration whose files the run leaves, or the last judged one. */
  readonly final?: Iteration;
  /** Commands that people sent, oldest first. */
  readonly commands: readonly ReceivedCommand[];
  readonly protectedChanges: readonly ProtectedChange[];
  /** First the whole run, then the iterations. */
  readonly diffs: readonly ReportDiff[];
  readonly madeAt: string;
}

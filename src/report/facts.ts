// What a report is made of: plain data, so that every form of it is a function of this alone.
import type { Command } from "#spec/command";
import type { Overview } from "#spec/overview";
import type { Iteration } from "#spec/run";
import type { Protect } from "#spec/task";
import type { FileChange } from "#spec/workspace";

/** What somebody told the run. */
export interface Said {
  readonly time: string;
  readonly command: Command;
}

/** Protected files that an agent changed. */
export interface ProtectedChange {
  readonly iteration: number;
  readonly changes: readonly FileChange[];
  readonly diff: string;
  readonly action: Protect["action"];
  /** A commit of the agent's that still has the change. */
  readonly commit?: string;
}

export interface DiffShown {
  /** Whose changes these are; absent for the run as a whole. */
  readonly iteration?: number;
  /** Its beginning, when it is long; empty when it was left out altogether. */
  readonly text: string;
  /** How many files it is about. */
  readonly files: number;
  /** There is more of it than is shown. */
  readonly cut: boolean;
}

export interface ReportFacts {
  readonly overview: Overview;
  /** The baseline first, when it was judged: as the overview's rows. */
  readonly iterations: readonly Iteration[];
  /** The one whose files the run leaves, or the last one that was judged. */
  readonly final?: Iteration;
  readonly said: readonly Said[];
  readonly protectedChanges: readonly ProtectedChange[];
  /** The whole run first. */
  readonly diffs: readonly DiffShown[];
  readonly madeAt: string;
}

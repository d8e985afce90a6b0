// The run so far: what the events fold into. Plain data, handed to strategies, memories and views.
import type { AgentResult, Isolated, Tier, Usage } from "./agent.ts";
import type { Command } from "./command.ts";
import type { Decision } from "./decision.ts";
import type { Outcome } from "./event.ts";
import type { Note } from "./note.ts";
import type { Submission } from "./submission.ts";
import type { Protect, Task } from "./task.ts";
import type { Verdict } from "./verdict.ts";
import type { Delivered, FileChange, Snapshot } from "./workspace.ts";

export interface Judged {
  readonly gate: string;
  readonly verdict: Verdict;
}

export interface Iteration {
  /** From 1; 0 is the baseline, which has no agent. */
  readonly number: number;
  readonly startedAt: string;
  readonly startedMs: number;
  readonly prompt: string;
  /** The tree it started from. */
  readonly from?: string;
  readonly agent?: AgentResult;
  /** Which of the task's agents that was, from 0. */
  readonly by?: number;
  readonly isolation?: Tier;
  /** What agents used that were delayed or replaced. */
  readonly spent: readonly Usage[];
  readonly note?: Note;
  /** Times the agent asked to come back later, and when it may run again. */
  readonly delays: number;
  readonly delayedUntil?: string;
  /** What the agent changed although it is protected. */
  readonly tampering?: {
    readonly changes: readonly FileChange[];
    readonly action: Protect["action"];
    /** The files with those changes. */
    readonly tree?: string;
    /** A commit of the agent's that still has them. */
    readonly commit?: string;
  };
  readonly snapshot?: Snapshot;
  /** Untracked files that its gates wrote; folders as `dir/`. */
  readonly outputs?: readonly string[];
  readonly verdicts: readonly Judged[];
  readonly escalated: readonly string[];
  /** Weighted mean of the gates' scores, once all of them have a verdict. */
  readonly score?: number;
  readonly decision?: Decision;
  /** What a person decided about this iteration. */
  readonly direction?: Extract<Command, { type: "decide" }>;
  /** Gates that asked a person, and when they first did. */
  readonly asked: Readonly<Record<string, string>>;
  /** What people said about its gates. */
  readonly approvals: readonly Extract<Command, { type: "approve" | "reject" }>[];
  readonly interruptions: number;
}

export interface Ended {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly partial: boolean;
  readonly best?: { readonly iteration: number; readonly tree: string; readonly score: number };
  readonly tree?: string;
}

/** Away: the agent works in a session of its own, and nobody drives the run meanwhile. */
export type RunState = "running" | "paused" | "waiting" | "away" | "ended";

export interface Run {
  readonly id: string;
  readonly seq: number;
  readonly task: Task;
  readonly taskHash: string;
  /** Where the agent works. */
  readonly dir: string;
  /** The machine it was started on. */
  readonly host: string;
  /** The machine that resumed it last, if any did. */
  readonly resumedOn?: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly elapsedMs: number;
  readonly state: RunState;
  readonly ended?: Ended;
  readonly waitingFor?: {
    readonly reason: string;
    readonly gates: readonly string[];
    readonly until?: string;
  };
  /** Agents that cannot work, by their place in the task. */
  readonly unable: readonly number[];
  /** The untouched workspace: its snapshot and, unless switched off, its verdicts. */
  readonly baseline: Iteration;
  readonly iterations: readonly Iteration[];
  /** The commit that was checked out at the start. */
  readonly head?: string;
  readonly pins: Readonly<Record<string, string>>;
  /** Untracked files of Converge's own in the workspace, which no snapshot has. */
  readonly own?: readonly string[];
  readonly submission?: Submission;
  /** The span that it was started in. */
  readonly traceparent?: string;
  /** How agents are shut off where it was started or resumed last. */
  readonly isolation?: Isolated;
  /** Names what is protected, as it was at the start. */
  readonly seal?: string;
  /** Names the user's index entries of what is protected, as they were at the start. */
  readonly index?: string;
  /** Untracked files that gates wrote, which no snapshot has; folders as `dir/`. */
  readonly outputs?: readonly string[];
  readonly delivered?: Delivered;
  /** What the files were when they were last looked at. */
  readonly tree?: string;
  /** What people asked for that has not been acted on. */
  readonly stopping?: string;
  readonly pausing: boolean;
  readonly steering: readonly string[];
  /** The last command read from the inbox. */
  readonly inbox: number;
  /** Set by a resume after the end: the last decision to stop no longer counts. */
  readonly reopened: boolean;
  /** Iterations the run had when it was resumed after its end; patience and failures in a row count from there. */
  readonly reopenedAt?: number;
}

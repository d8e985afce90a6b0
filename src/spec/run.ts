// The folded state of a run. Plain data for strategies, memories and views.
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
  /** Starts at 1; 0 is the baseline, which has no agent. */
  readonly number: number;
  readonly startedAt: string;
  readonly startedMs: number;
  readonly prompt: string;
  /** The tree it started from. */
  readonly from?: string;
  readonly agent?: AgentResult;
  /** Index in the task's list of agents. */
  readonly by?: number;
  readonly isolation?: Tier;
  /** Usage of delayed or replaced agents. */
  readonly spent: readonly Usage[];
  readonly note?: Note;
  /** How often the agent was rate-limited, and when it may run again. */
  readonly delays: number;
  readonly delayedUntil?: string;
  /** The agent's changes to protected files. */
  readonly tampering?: {
    readonly changes: readonly FileChange[];
    readonly action: Protect["action"];
    /** The files with those changes. */
    readonly tree?: string;
    /** A commit of the agent that still contains them. */
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
  /** A person's decision about this iteration. */
  readonly direction?: Extract<Command, { type: "decide" }>;
  /** Gates that wait for a person, with the time they first asked. */
  readonly asked: Readonly<Record<string, string>>;
  /** Approvals and rejections of its gates by people. */
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

/** `away`: the agent works in its own session, and nobody drives the run meanwhile. */
export type RunState = "running" | "paused" | "waiting" | "away" | "ended";

export interface Run {
  readonly id: string;
  readonly seq: number;
  readonly task: Task;
  readonly taskHash: string;
  /** The workspace folder. */
  readonly dir: string;
  /** The machine that started the run. */
  readonly host: string;
  /** The machine that resumed the run last, if any. */
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
  /** Indexes of agents that cannot work. */
  readonly unable: readonly number[];
  /** The untouched workspace: its snapshot and, unless disabled, its verdicts. */
  readonly baseline: Iteration;
  readonly iterations: readonly Iteration[];
  /** The commit that was checked out at the start. */
  readonly head?: string;
  readonly pins: Readonly<Record<string, string>>;
  /** Untracked files of Converge itself in the workspace, excluded from snapshots. */
  readonly own?: readonly string[];
  readonly submission?: Submission;
  /** The parent span in a W3C trace context. */
  readonly traceparent?: string;
  /** Isolation of the agents where the run was started or resumed last. */
  readonly isolation?: Isolated;
  /** Id of the protected files as they were at the start. */
  readonly seal?: string;
  /** Id of the user's git index entries for protected files, as they were at the start. */
  readonly index?: string;
  /** Untracked files that gates wrote, excluded from snapshots; folders as `dir/`. */
  readonly outputs?: readonly string[];
  readonly delivered?: Delivered;
  /** The tree of the last snapshot. */
  readonly tree?: string;
  /** Pending requests of people. */
  readonly stopping?: string;
  readonly pausing: boolean;
  readonly steering: readonly string[];
  /** Id of the last command read from the inbox. */
  readonly inbox: number;
  /** Set by a resume after the end: the last stop decision no longer counts. */
  readonly reopened: boolean;
  /** Number of iterations at the resume after the end; patience and consecutive failures count from there. */
  readonly reopenedAt?: number;
}

// View data for page, HTTP API and report: plain, bounded, small enough for a list or one response.
import type { AgentFailure, Isolated, Usage } from "./agent.ts";
import type { Decision } from "./decision.ts";
import type { Outcome } from "./event.ts";
import type { Note } from "./note.ts";
import type { Failing, Progress, Trend } from "./progress.ts";
import type { Iteration, Judged } from "./run.ts";
import type { Task } from "./task.ts";
import type { TestCounts, VerdictStatus } from "./verdict.ts";
import type { Delivered, FileChange } from "./workspace.ts";

/** The state in one word, as users see it. */
export type StateWord =
  | "running"
  | "paused"
  | "waiting"
  | "away"
  | "queued"
  | "interrupted"
  | "tampered"
  | Outcome;

/** A run as a row of a list. */
export interface Summary {
  readonly id: string;
  readonly state: StateWord;
  /** Why it ended or waits, or why its events cannot be trusted. */
  readonly reason?: string;
  readonly partial: boolean;
  /** First line of the prompt. */
  readonly title: string;
  readonly agent: string;
  readonly strategy: string;
  readonly workspace: string;
  readonly iterations: number;
  readonly maxIterations: number;
  /** Absent before the first verdict. */
  readonly score?: number;
  /** Overall scores since the baseline, thinned out for a sparkline. */
  readonly scores: readonly number[];
  readonly gatesPassed: number;
  readonly gatesTotal: number;
  readonly failing?: Failing;
  readonly trend: Trend;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly elapsedMs: number;
  readonly startedAt: string;
  readonly updatedAt: string;
}

/** One verdict as a cell of the gate × iteration matrix. */
export interface GateCell {
  readonly gate: string;
  readonly status: VerdictStatus;
  readonly score: number;
  readonly summary: string;
  readonly tests?: TestCounts;
  readonly failures: number;
  readonly durationMs: number;
  readonly carriedFrom?: number;
  /** Repeated judgements of the same files differed. */
  readonly flaky: boolean;
}

/** One iteration without its texts; 0 is the baseline. */
export interface IterationRow {
  readonly number: number;
  readonly startedAt: string;
  readonly startedMs: number;
  readonly score?: number;
  /** Failing tests now and in the iteration judged before; absent when a gate reports no counts. */
  readonly failing?: Failing;
  readonly tree?: string;
  readonly files?: number;
  readonly changedLines?: number;
  readonly agent?: {
    readonly name: string;
    readonly ok: boolean;
    readonly failure?: AgentFailure;
    readonly model?: string;
    readonly durationMs: number;
  };
  /** Usage of all agents that worked on it. */
  readonly usage: Usage;
  readonly gates: readonly GateCell[];
  readonly escalated: readonly string[];
  readonly decision?: Decision;
  readonly interruptions: number;
  /** Number of protected files that the agent changed. */
  readonly tampered: number;
}

/** Everything about one iteration, with bounded texts. */
export interface IterationDetail {
  readonly row: IterationRow;
  /** The prompt as sent. */
  readonly prompt: string;
  /** The agent's final message: a claim. */
  readonly message?: string;
  /** Why the agent failed, and which actions it was refused. */
  readonly reason?: string;
  readonly refused: readonly string[];
  readonly changes: readonly FileChange[];
  readonly tampering: readonly FileChange[];
  readonly verdicts: readonly Judged[];
  readonly note?: Note;
  readonly approvals: Iteration["approvals"];
  readonly direction?: Iteration["direction"];
  readonly logs: readonly LogEntry[];
}

export interface LogEntry {
  /** "agent", "memory", the clean-room set-up, or the gate's name. */
  readonly part: string;
  readonly stream: string;
  readonly bytes: number;
}

/** A piece of a log as plain text; `from` and `to` are byte offsets. */
export interface LogPiece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** A time span of one activity; the last one is open while the run is active. */
export interface Span {
  readonly iteration: number;
  readonly kind: "agent" | "gate" | "memory" | "away" | "delayed" | "waiting" | "paused" | "other";
  /** Name of the gate. */
  readonly gate?: string;
  readonly from: string;
  readonly to?: string;
}

/** Commands that people may send to the run in its current state. */
export type Action = "stop" | "pause" | "resume" | "steer" | "decide" | "approve" | "restore" | "deliver";

/** One run on one page. */
export interface Overview extends Summary {
  readonly seq: number;
  readonly task: Task;
  readonly dir: string;
  readonly host: string;
  readonly version: string;
  readonly head?: string;
  readonly isolation?: Isolated;
  /** Number of pinned files outside the workspace that verdicts depend on. */
  readonly pins: number;
  /** What makes the run easy to fool: no tests are protected, no test results are recognised. */
  readonly cautions: readonly string[];
  /** The process that drives the run now. */
  readonly driver?: { readonly pid: number };
  readonly progress: Progress;
  readonly best?: { readonly iteration: number; readonly score: number; readonly tree: string };
  /** Starts with the baseline, if it was judged. */
  readonly rows: readonly IterationRow[];
  readonly spans: readonly Span[];
  readonly waitingFor?: {
    readonly reason: string;
    readonly gates: readonly string[];
    readonly until?: string;
  };
  readonly steering: readonly string[];
  readonly delivered?: Delivered;
  readonly actions: readonly Action[];
}

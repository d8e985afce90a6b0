// What the page, the HTTP API and the report show of a run: plain data, bounded, small enough for a list or for one answer.
import type { AgentFailure, Isolated, Usage } from "./agent.ts";
import type { Decision } from "./decision.ts";
import type { Outcome } from "./event.ts";
import type { Note } from "./note.ts";
import type { Failing, Progress, Trend } from "./progress.ts";
import type { Iteration, Judged } from "./run.ts";
import type { Task } from "./task.ts";
import type { TestCounts, VerdictStatus } from "./verdict.ts";
import type { Delivered, FileChange } from "./workspace.ts";

/** The state in one word, as people see it. */
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
  /** Why it ended, waits, or is not to be believed. */
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
  /** Overall score from the baseline on, thinned out to what a sparkline can show. */
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
  /** It judged several times, and not always the same. */
  readonly flaky: boolean;
}

/** One iteration without its texts; 0 is the baseline. */
export interface IterationRow {
  readonly number: number;
  readonly startedAt: string;
  readonly startedMs: number;
  readonly score?: number;
  /** Tests that fail, and failed in the iteration judged before; absent when a gate told no count. */
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
  /** Of everybody who worked on it. */
  readonly usage: Usage;
  readonly gates: readonly GateCell[];
  readonly escalated: readonly string[];
  readonly decision?: Decision;
  readonly interruptions: number;
  /** Protected files that the agent changed. */
  readonly tampered: number;
}

/** All there is to read of one iteration, texts bounded. */
export interface IterationDetail {
  readonly row: IterationRow;
  /** As it was sent. */
  readonly prompt: string;
  /** The agent's own final message: a claim. */
  readonly message?: string;
  /** Why the agent failed, and what it was refused. */
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
  /** "agent", "memory", the set-up of a clean room, or the gate's name. */
  readonly part: string;
  readonly stream: string;
  readonly bytes: number;
}

/** A piece of a log, plain; `from` and `to` are places in its bytes. */
export interface LogPiece {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** What somebody was at, from when to when; the last one is open while the run is at work. */
export interface Span {
  readonly iteration: number;
  readonly kind: "agent" | "gate" | "memory" | "away" | "delayed" | "waiting" | "paused" | "other";
  /** Name of the gate. */
  readonly gate?: string;
  readonly from: string;
  readonly to?: string;
}

/** What people may tell the run as it stands. */
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
  /** How many files outside the workspace the verdicts rest on, by their hash. */
  readonly pins: number;
  /** What makes the run easy to fool: no tests are protected, no test results are recognised. */
  readonly cautions: readonly string[];
  /** Process that drives it now. */
  readonly driver?: { readonly pid: number };
  readonly progress: Progress;
  readonly best?: { readonly iteration: number; readonly score: number; readonly tree: string };
  /** The baseline first, when it was judged. */
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

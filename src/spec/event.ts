// A run is an append-only list of these facts and nothing else. Never edited; a change of meaning is a new version.
import type { AgentResult, Isolated, Tier, Usage } from "./agent.ts";
import type { Queued } from "./command.ts";
import type { Decision } from "./decision.ts";
import type { Note } from "./note.ts";
import type { Submission } from "./submission.ts";
import type { Limits, Protect, Task } from "./task.ts";
import type { Verdict } from "./verdict.ts";
import type { Delivered, FileChange, Snapshot } from "./workspace.ts";

export const EVENT_VERSION = 1;

export type Outcome = "converged" | "diverged" | "stopped" | "blocked" | "error";

export type EventBody =
  | {
      readonly type: "run.started";
      readonly task: Task;
      readonly taskHash: string;
      readonly dir: string;
      readonly host: string;
      readonly version: string;
      /** The commit that was checked out. */
      readonly head?: string;
      /** Files that the run rests on (task files, the gates' tools and their settings), by SHA-256; "" when there was none. */
      readonly pins?: Readonly<Record<string, string>>;
      /** Untracked files of Converge's own in the workspace, which no snapshot has; `dir/` is a folder. */
      readonly own?: readonly string[];
      /** How agents are shut off here. */
      readonly isolation?: Isolated;
      /** How it was given to the workers, when it was. */
      readonly submission?: Submission;
      /** The span of somebody else's trace that it was started in, as W3C Trace Context writes it. */
      readonly traceparent?: string;
    }
  | {
      readonly type: "snapshot.taken";
      readonly iteration: number;
      readonly snapshot: Snapshot;
      /** Names what is protected, as it was. */
      readonly seal?: string;
      /** Names the user's index entries of what is protected. */
      readonly index?: string;
    }
  /** Gates wrote untracked files: snapshots leave them out from now on. */
  | {
      readonly type: "outputs.seen";
      readonly iteration: number;
      /** Files, and folders as `dir/`; bounded. */
      readonly paths: readonly string[];
      /** Outputs that the agent has changed: snapshots have them again. */
      readonly captured?: readonly string[];
      /** Trees of the run that had some of these files, each with the tree that has not. */
      readonly trees?: Readonly<Record<string, string>>;
    }
  /** The agent changed what is protected; `tree` has the files with those changes. */
  | {
      readonly type: "protected.changed";
      readonly iteration: number;
      readonly changes: readonly FileChange[];
      readonly diff: string;
      readonly action: Protect["action"];
      readonly tree: string;
      /** Files whose entry in the user's index was put back, too, or why that failed. */
      readonly staged?: readonly string[];
      readonly indexProblem?: string;
      /** A commit of the agent's that still has the change. */
      readonly commit?: string;
    }
  | { readonly type: "iteration.started"; readonly iteration: number; readonly prompt: string }
  | {
      readonly type: "agent.finished";
      readonly iteration: number;
      /** Which of the task's agents, from 0. */
      readonly agent: number;
      readonly isolation?: Tier;
      readonly result: AgentResult;
    }
  /** The agent cannot work, and another one takes over. */
  | {
      readonly type: "agent.replaced";
      readonly iteration: number;
      readonly agent: number;
      readonly by: number;
      readonly result: AgentResult;
    }
  /** The agent asked to come back later; this iteration's agent runs again at `until`. */
  | {
      readonly type: "agent.delayed";
      readonly iteration: number;
      readonly until: string;
      readonly reason: string;
      readonly usage?: Usage;
    }
  /** The agent works on the iteration in a session of its own; nobody drives the run until it is back. */
  | {
      readonly type: "agent.away";
      readonly iteration: number;
      readonly reason: string;
      readonly until?: string;
    }
  | {
      readonly type: "gate.judged";
      readonly iteration: number;
      readonly gate: string;
      readonly verdict: Verdict;
    }
  | {
      readonly type: "gate.escalated";
      readonly iteration: number;
      readonly gate: string;
      readonly reason: string;
    }
  /** What the memory's summarizer made of the iteration. */
  | { readonly type: "memory.noted"; readonly iteration: number; readonly note: Note }
  | { readonly type: "decision.made"; readonly iteration: number; readonly decision: Decision }
  | { readonly type: "command.received"; readonly queued: Queued }
  /** The agent was cut off; `tree` is what it had made of the files. */
  | {
      readonly type: "iteration.interrupted";
      readonly iteration: number;
      readonly tree: string;
      readonly reason: string;
    }
  /** `saved` is the tree that the files had before. */
  | {
      readonly type: "workspace.restored";
      readonly iteration: number;
      readonly tree: string;
      readonly saved: string;
    }
  /** By a person, or, with the reason, because it cannot go on for now. */
  | { readonly type: "run.paused"; readonly reason?: string }
  | {
      readonly type: "run.parked";
      readonly reason: string;
      readonly gates: readonly string[];
      /** When the first of the gates no longer waits. */
      readonly until?: string;
    }
  | {
      readonly type: "run.resumed";
      readonly host: string;
      readonly limits?: Partial<Limits>;
      readonly isolation?: Isolated;
      /** A person lets the agent start although a gate cannot judge the baseline. */
      readonly allowErroredBaseline?: true;
    }
  | { readonly type: "run.delivered"; readonly delivered: Delivered }
  | {
      readonly type: "run.ended";
      readonly outcome: Outcome;
      readonly reason: string;
      readonly iterations: number;
      /** Ended as converged while a gate was red: a person or the task said that is enough. */
      readonly partial: boolean;
      /** The iteration with the best score, and its tree; 0 is the base. */
      readonly best?: { readonly iteration: number; readonly tree: string; readonly score: number };
      /** The tree that the run leaves behind. */
      readonly tree?: string;
    };

export type EventType = EventBody["type"];

export type RunEvent = EventBody & {
  readonly v: number;
  readonly run: string;
  readonly seq: number;
  /** Wall clock, for people. */
  readonly time: string;
  /** Milliseconds the run has been active, by a monotonic clock; limits go by this. */
  readonly elapsedMs: number;
};

// The events of a run: an append-only log, and the run's only state. Never edited; a change of meaning is a new version.
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
      /** SHA-256 of files the run depends on (task files, the gates' tools and their settings); "" for a missing file. */
      readonly pins?: Readonly<Record<string, string>>;
      /** Untracked files of Converge itself in the workspace, excluded from snapshots; `dir/` is a folder. */
      readonly own?: readonly string[];
      /** Isolation of the agents on this machine. */
      readonly isolation?: Isolated;
      /** How the run was submitted to the workers, if it was. */
      readonly submission?: Submission;
      /** The parent span in a W3C trace context, if the run was started within a trace. */
      readonly traceparent?: string;
    }
  | {
      readonly type: "snapshot.taken";
      readonly iteration: number;
      readonly snapshot: Snapshot;
      /** Id of the protected files as they were at the start. */
      readonly seal?: string;
      /** Id of the user's git index entries for protected files. */
      readonly index?: string;
    }
  /** Gates wrote untracked files, which snapshots exclude from now on. */
  | {
      readonly type: "outputs.seen";
      readonly iteration: number;
      /** Files, and folders as `dir/`; bounded. */
      readonly paths: readonly string[];
      /** Outputs that the agent changed, which snapshots include again. */
      readonly captured?: readonly string[];
      /** Trees of the run with some of these files, each mapped to the tree without them. */
      readonly trees?: Readonly<Record<string, string>>;
    }
  /** The agent changed protected files; `tree` contains those changes. */
  | {
      readonly type: "protected.changed";
      readonly iteration: number;
      readonly changes: readonly FileChange[];
      readonly diff: string;
      readonly action: Protect["action"];
      readonly tree: string;
      /** Files whose entry in the user's git index was restored too, or why that failed. */
      readonly staged?: readonly string[];
      readonly indexProblem?: string;
      /** A commit of the agent that still contains the change. */
      readonly commit?: string;
    }
  | { readonly type: "iteration.started"; readonly iteration: number; readonly prompt: string }
  | {
      readonly type: "agent.finished";
      readonly iteration: number;
      /** Index in the task's list of agents. */
      readonly agent: number;
      readonly isolation?: Tier;
      readonly result: AgentResult;
    }
  /** The agent cannot work, so another one takes over. */
  | {
      readonly type: "agent.replaced";
      readonly iteration: number;
      readonly agent: number;
      readonly by: number;
      readonly result: AgentResult;
    }
  /** The agent is rate-limited; this iteration's agent runs again at `until`. */
  | {
      readonly type: "agent.delayed";
      readonly iteration: number;
      readonly until: string;
      readonly reason: string;
      readonly usage?: Usage;
    }
  /** The agent works on the iteration in its own session; nobody drives the run until the turn ends. */
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
  /** The summary of the iteration by the memory's summarizer. */
  | { readonly type: "memory.noted"; readonly iteration: number; readonly note: Note }
  | { readonly type: "decision.made"; readonly iteration: number; readonly decision: Decision }
  | { readonly type: "command.received"; readonly queued: Queued }
  /** The agent was interrupted; `tree` is the state of the files at that moment. */
  | {
      readonly type: "iteration.interrupted";
      readonly iteration: number;
      readonly tree: string;
      readonly reason: string;
    }
  /** `saved` is the tree of the files before the restore. */
  | {
      readonly type: "workspace.restored";
      readonly iteration: number;
      readonly tree: string;
      readonly saved: string;
    }
  /** Paused by a person or, with a reason, because the run cannot continue for now. */
  | { readonly type: "run.paused"; readonly reason?: string }
  | {
      readonly type: "run.parked";
      readonly reason: string;
      readonly gates: readonly string[];
      /** Earliest time at which one of the gates stops waiting. */
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
      /** Ended as converged with a failing gate: a person or the task accepted that. */
      readonly partial: boolean;
      /** The iteration with the best score, and its tree; 0 is the base. */
      readonly best?: { readonly iteration: number; readonly tree: string; readonly score: number };
      /** The final tree of the run. */
      readonly tree?: string;
    };

export type EventType = EventBody["type"];

/** Every event type, for validating untrusted records. */
const EVENT_TYPES: Readonly<Record<EventType, true>> = {
  "run.started": true,
  "snapshot.taken": true,
  "outputs.seen": true,
  "protected.changed": true,
  "iteration.started": true,
  "agent.finished": true,
  "agent.replaced": true,
  "agent.delayed": true,
  "agent.away": true,
  "gate.judged": true,
  "gate.escalated": true,
  "memory.noted": true,
  "decision.made": true,
  "command.received": true,
  "iteration.interrupted": true,
  "workspace.restored": true,
  "run.paused": true,
  "run.parked": true,
  "run.resumed": true,
  "run.delivered": true,
  "run.ended": true,
};

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENT_TYPES, type);
}

export type RunEvent = EventBody & {
  readonly v: number;
  readonly run: string;
  readonly seq: number;
  /** Wall-clock time, for people. */
  readonly time: string;
  /** Milliseconds the run was active, by a monotonic clock; time limits use this. */
  readonly elapsedMs: number;
};

export type EventOf<T extends EventType> = Extract<RunEvent, { readonly type: T }>;

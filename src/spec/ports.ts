// Everything the loop needs from outside, so that it stays a function of its arguments.
import type { Agent, Isolation } from "./agent.ts";
import type { Queued } from "./command.ts";
import type { EventBody } from "./event.ts";
import type { Gate } from "./gate.ts";
import type { Memory } from "./memory.ts";
import type { Run } from "./run.ts";
import type { Strategy } from "./strategy.ts";
import type { Limits } from "./task.ts";
import type { Workspace } from "./workspace.ts";

export interface Ports {
  /** In the order of the task's agents. */
  readonly agents: readonly Agent[];
  /** Isolation of the agents. */
  readonly isolation?: Isolation;
  readonly gates: ReadonlyMap<string, Gate>;
  readonly strategy: Strategy;
  readonly memory: Memory;
  readonly workspace: Workspace;
  readonly host: string;
  /** Limits changed by a resume. */
  readonly limits?: Partial<Limits>;
  /** A person resumes a run that was blocked because a gate cannot judge the baseline. */
  readonly allowErroredBaseline?: true;
  /** Commands with an id above `afterId`. */
  inbox(afterId: number): Promise<readonly Queued[]>;
  /** Wall-clock time in ISO form. */
  now(): string;
  /** Milliseconds the run was active, over all its processes. */
  elapsed(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Waits while the run is parked, until a command arrives, the deadline passes or the signal is aborted; absent: no waiting. */
  readonly wait?: (run: Run, signal: AbortSignal) => Promise<void>;
  /** Creates the folder, outside the workspace, for the logs of a part of an iteration. */
  filesFor(iteration: number, part: string): string;
  /** Writes a text file that the agent of an iteration may read besides its prompt, and returns its path. */
  writeForAgent(iteration: number, text: string): string;
  /** The user's template variables; files are read now. */
  variables(): Promise<Readonly<Record<string, string>>>;
  /** Masks the values of secrets in an event. */
  redact(body: EventBody): EventBody;
  /** Receives the agent's live output. */
  onActivity(text: string): void;
}

/** Parts of an iteration that have logs besides its gates, which have theirs under their own names. */
export const AGENT_PART = "agent";
export const SETUP_PART = "clean-room set-up";
export const MEMORY_PART = "memory";

// Everything the loop needs from the outside, so that it stays a function of its arguments.
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
  /** How agents are shut off from the machine. */
  readonly isolation?: Isolation;
  readonly gates: ReadonlyMap<string, Gate>;
  readonly strategy: Strategy;
  readonly memory: Memory;
  readonly workspace: Workspace;
  readonly host: string;
  /** Limits given anew with a resume. */
  readonly limits?: Partial<Limits>;
  /** A person lets a run go on that a gate blocked because it cannot judge the baseline. */
  readonly allowErroredBaseline?: true;
  /** Commands that people sent after the given one. */
  inbox(afterId: number): Promise<readonly Queued[]>;
  /** Wall-clock time in ISO form. */
  now(): string;
  /** Milliseconds the run has been active, over all its processes. */
  elapsed(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Waits while the run is parked, until there is a word for it, its time is up or the signal is aborted; absent: nobody waits. */
  readonly wait?: (run: Run, signal: AbortSignal) => Promise<void>;
  /** The folder, made and outside the workspace, for the logs of an iteration's part. */
  filesFor(iteration: number, part: string): string;
  /** Writes a text that the agent of an iteration may read besides its prompt, and returns its path. */
  writeForAgent(iteration: number, text: string): string;
  /** The user's template variables, files read now. */
  variables(): Promise<Readonly<Record<string, string>>>;
  /** The fact without the values of secrets. */
  redact(body: EventBody): EventBody;
  /** What the agent is printing, for those who watch. */
  onActivity(text: string): void;
}

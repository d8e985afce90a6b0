// The port for where runs are kept.
import type { Command, Queued } from "./command.ts";
import type { RunEvent } from "./event.ts";
import type { Lesson } from "./lesson.ts";

export interface RunRow {
  readonly id: string;
  readonly workspace: string;
  readonly startedAt: string;
  /** Number of its last event: one query says which runs have changed. */
  readonly seq: number;
}

export interface Store {
  /**
   * Durable when it returns. `expectedSeq` is the last event the writer knows of; if the store has another,
   * it throws ConflictError and writes nothing. That is the fence against a second writer. When the events that
   * this store wrote or read before are not there any more as they were, it throws TamperedError.
   */
  append(run: string, expectedSeq: number, events: readonly RunEvent[]): Promise<void>;
  /**
   * The events after `afterSeq`, in order; none for an unknown run. A store that others can reach verifies them
   * first, the whole run unless `afterSeq` is a point it has verified before, and throws TamperedError when one was
   * changed, removed, inserted or moved.
   */
  read(run: string, afterSeq?: number): Promise<readonly RunEvent[]>;
  /** All runs, newest first. */
  runs(): Promise<readonly RunRow[]>;
  send(run: string, command: Command): Promise<Queued>;
  /** Commands for the run with an id above `afterId`, oldest first; TamperedError when one came another way than by `send`. */
  inbox(run: string, afterId: number): Promise<readonly Queued[]>;
  /** Keeps what a run taught, in place of what it taught before. */
  learn(lesson: Lesson): Promise<void>;
  /** All that was learned, oldest first. */
  lessons(): Promise<readonly Lesson[]>;
  /** Forgets what was learned in this workspace, or everywhere; tells how many lessons that were. */
  forget(workspace?: string): Promise<number>;
  close(): Promise<void>;
}

// Port of a store of runs.
import type { Command, Queued } from "./command.ts";
import type { RunEvent } from "./event.ts";
import type { Lesson } from "./lesson.ts";
import type { Presence } from "./presence.ts";
import type { SharedLogs } from "./shared-logs.ts";
import type { SharedPacks } from "./shared-packs.ts";

export interface RunRow {
  readonly id: string;
  readonly workspace: string;
  readonly startedAt: string;
  /** Number of its last event: one query shows which runs have changed. */
  readonly seq: number;
}

/** An event as stored: its exact text, and its hash in the chain. */
export interface Kept {
  readonly seq: number;
  readonly body: string;
  readonly hash: string;
}

export interface Store {
  /**
   * Durable when it returns. `expectedSeq` is the last event the writer knows: optimistic locking against a second writer.
   * If the store has another, it throws ConflictError and writes nothing. It throws TamperedError when events that this
   * store wrote or read before are missing or changed.
   */
  append(run: string, expectedSeq: number, events: readonly RunEvent[]): Promise<void>;
  /**
   * Returns the events after `afterSeq`, in order; none for an unknown run. A store that others can reach verifies the hash
   * chain first, of the whole run unless `afterSeq` is a point verified before, and throws TamperedError when an event
   * was changed, removed, inserted or moved.
   */
  read(run: string, afterSeq?: number): Promise<readonly RunEvent[]>;
  /** All runs, newest first. */
  runs(): Promise<readonly RunRow[]>;
  send(run: string, command: Command): Promise<Queued>;
  /** Commands with an id above `afterId`, oldest first; TamperedError when one was not written by `send`. */
  inbox(run: string, afterId: number): Promise<readonly Queued[]>;
  /** Stores the lesson of a run and replaces its previous one. */
  learn(lesson: Lesson): Promise<void>;
  /** All lessons, oldest first. */
  lessons(): Promise<readonly Lesson[]>;
  /** Deletes the lessons of this workspace, or all; returns how many. */
  forget(workspace?: string): Promise<number>;
  /** The verified event log of a run, for export. Absent in a store without hashes. */
  record?(run: string): Promise<readonly Kept[]>;
  /**
   * Imports an event log, atomically. Throws TamperedError when its hash chain is invalid, and ConflictError when the run
   * exists already. `dir` is the local workspace; without it, the path stays as it was.
   */
  adopt?(run: string, record: readonly Kept[], dir?: string): Promise<void>;
  /** Sets the local workspace of an imported run, for all later reads. */
  place?(run: string, dir: string): Promise<void>;
  /** Present when several machines share the store. */
  readonly presence?: Presence;
  readonly logs?: SharedLogs;
  readonly packs?: SharedPacks;
  close(): Promise<void>;
}

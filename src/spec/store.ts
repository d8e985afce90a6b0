// The port for where runs are kept.
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
  /** Number of its last event: one query says which runs have changed. */
  readonly seq: number;
}

/** An event as it is kept: its very text, and the hash that ties it to all before it. */
export interface Kept {
  readonly seq: number;
  readonly body: string;
  readonly hash: string;
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
  /** The record of a run as it is kept, verified, to be taken elsewhere. Left out by a store that keeps no hashes. */
  record?(run: string): Promise<readonly Kept[]>;
  /**
   * Takes over a record from elsewhere, all of it or nothing. Throws TamperedError when it does not hold together, and
   * ConflictError when the run is here already. `dir` is where its workspace lies here; without it, where it was.
   */
  adopt?(run: string, record: readonly Kept[], dir?: string): Promise<void>;
  /** The workspace of a run that was taken over lies there now: it is read like that from now on. */
  place?(run: string, dir: string): Promise<void>;
  /** These three where several machines use the store. */
  readonly presence?: Presence;
  readonly logs?: SharedLogs;
  readonly packs?: SharedPacks;
  close(): Promise<void>;
}

// Port of the queue of runs that wait for a worker.
import type { Submission } from "./submission.ts";

/** `reopen` is the last event of an ended or paused run: the run is resumed only if that is still its last one. */
export interface Queue {
  /** Enqueues the run for some worker, not before `startAt`. May be called more than once for a run. */
  put(
    run: string,
    submission: Submission,
    when?: { readonly startAt?: string; readonly reopen?: number },
  ): Promise<void>;
  close(): Promise<void>;
}

// The port for runs that wait for a worker.
import type { Submission } from "./submission.ts";

/** `reopen` is the last event of a run that has ended or is paused: it goes on if that is still so. */
export interface Queue {
  /** The run is driven by some worker soon, or not before its time. May be asked for more than once. */
  put(
    run: string,
    submission: Submission,
    when?: { readonly startAt?: string; readonly reopen?: number },
  ): Promise<void>;
  close(): Promise<void>;
}

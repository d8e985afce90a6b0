// How a run is submitted to the workers, and the port of the queue where it waits for one.

export interface Submission {
  /** 1 is the highest. */
  readonly priority: number;
  /** Labels that a worker must have. */
  readonly labels: readonly string[];
  /** Key of the limit per repository. */
  readonly repository: string;
  /** Key of the lessons: the folder or address the user named, wherever the run is driven. */
  readonly project: string;
  readonly startAt?: string;
}

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

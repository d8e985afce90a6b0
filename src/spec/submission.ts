// How a run was given to the workers.

export interface Submission {
  /** 1 comes first. */
  readonly priority: number;
  /** A worker has to have all of them. */
  readonly labels: readonly string[];
  /** What the limit for one repository is counted by. */
  readonly repository: string;
  /** What lessons are kept by: the folder or the address that was named, wherever the run is driven. */
  readonly project: string;
  readonly startAt?: string;
}

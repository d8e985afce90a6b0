// How a run was given to the workers.

export interface Submission {
  /** 1 comes first. */
  readonly priority: number;
  /** A worker has to have all of them. */
  readonly labels: readonly string[];
  /** What the limit for one repository is counted by. */
  readonly repository: string;
  readonly startAt?: string;
}

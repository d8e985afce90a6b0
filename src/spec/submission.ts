// How a run was submitted to the workers.

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

// What a run that is over taught about when to stop: kept, so that the next run of the project can start from it.

/** Lessons of another version speak of other features, and are made again from the recorded runs. */
export const LESSON_VERSION = 1;

/** An iteration that did not pass, in numbers, and whether the next one did. */
export interface Transition {
  readonly features: readonly number[];
  readonly passed: boolean;
}

export interface Lesson {
  readonly run: string;
  readonly v: number;
  /** The project: the folder that the run was about. */
  readonly workspace: string;
  /** Who worked, and with which model where that is known. */
  readonly agent: string;
  readonly at: string;
  readonly transitions: readonly Transition[];
}

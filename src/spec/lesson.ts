// A lesson: training data from an ended run, stored so that the project's next run can use it.

/** Lessons of another version have other features and are rebuilt from the recorded runs. */
export const LESSON_VERSION = 1;

/** Features of an iteration that did not pass, and whether the next one did. */
export interface Transition {
  readonly features: readonly number[];
  readonly passed: boolean;
}

export interface Lesson {
  readonly run: string;
  readonly v: number;
  /** The project folder. */
  readonly workspace: string;
  /** The agent, with its model where known. */
  readonly agent: string;
  readonly at: string;
  readonly transitions: readonly Transition[];
}

// What has been learned about when to stop, as people see it: by project and agent, as chances in situations that one knows.

export interface Situation {
  readonly name: string;
  /** That the next iteration passes, and the interval that holds in four of five cases. */
  readonly chance: number;
  readonly interval: readonly [number, number];
  /** The same, before anything was learned. */
  readonly before: number;
}

export interface LearnedModel {
  readonly workspace: string;
  /** As JSON: its type, and what tells it from others of that type, or null. */
  readonly agent: string;
  readonly runs: number;
  readonly transitions: number;
  readonly situations: readonly Situation[];
  /** By how much each feature raises or lowers the log odds, and how far that may be off. */
  readonly weights: readonly { readonly name: string; readonly mean: number; readonly deviation: number }[];
}

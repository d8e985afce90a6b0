// The learned stop model for users: per project and agent, as success probabilities in typical situations.

export interface Situation {
  readonly name: string;
  /** Probability that the next iteration passes, with its 80 % interval. */
  readonly chance: number;
  readonly interval: readonly [number, number];
  /** The probability before learning. */
  readonly before: number;
}

export interface LearnedModel {
  readonly workspace: string;
  /** JSON of the agent's type and what distinguishes it from others of that type, or null. */
  readonly agent: string;
  readonly runs: number;
  readonly transitions: number;
  readonly situations: readonly Situation[];
  /** Effect of each feature on the log odds, with its standard deviation. */
  readonly weights: readonly { readonly name: string; readonly mean: number; readonly deviation: number }[];
}

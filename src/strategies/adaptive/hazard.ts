// How likely the next iteration passes: a logistic model whose weights are known only so far, and better with every run.
import type { Transition } from "#spec/lesson";

/** What is believed of the weights: their mean, and how much they vary together. */
export interface Weights {
  readonly mean: readonly number[];
  readonly spread: readonly (readonly number[])[];
  /** Iterations that it was learned from. */
  readonly transitions: number;
}

export interface Belief {
  /** On the scale of log odds: the middle, and how far it may be off. */
  readonly middle: number;
  readonly deviation: number;
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

export function weightsOf(mean: readonly number[], deviations: readonly number[]): Weights {
  const spread = deviations.map((own, row) =>
    deviations.map((_, column) => (row === column ? own * own : 0)),
  );
  return { mean, spread, transitions: 0 };
}

/** Spread times features. */
function reach(spread: readonly (readonly number[])[], features: readonly number[]): number[] {
  return spread.map((row) => {
    let sum = 0;
    for (let at = 0; at < features.length; at++) sum += (row[at] ?? 0) * (features[at] ?? 0);
    return sum;
  });
}

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

export function beliefIn({ mean, spread }: Weights, features: readonly number[]): Belief {
  const variance = dot(features, reach(spread, features));
  return { middle: dot(mean, features), deviation: Math.sqrt(Math.max(0, variance)) };
}

/** The chance itself, with what is not known about it averaged out. */
export function chanceOf({ middle, deviation }: Belief): number {
  return sigmoid(middle / Math.sqrt(1 + (Math.PI * deviation * deviation) / 8));
}

/** What is believed after these transitions. One pass, each a step of Newton's method; nothing is kept of them. */
export function learn(start: Weights, transitions: Iterable<Transition>): Weights {
  const mean = [...start.mean];
  const spread = start.spread.map((row) => [...row]);
  let count = start.transitions;
  for (const { features, passed } of transitions) {
    const reached = reach(spread, features);
    const variance = dot(features, reached);
    const chance = chanceOf({ middle: dot(mean, features), deviation: Math.sqrt(Math.max(0, variance)) });
    const certainty = Math.max(1e-6, chance * (1 - chance));
    const shrink = certainty / (1 + certainty * variance);
    const surprise = (passed ? 1 : 0) - chance;
    for (let row = 0; row < mean.length; row++) {
      const own = reached[row] ?? 0;
      mean[row] = (mean[row] ?? 0) + own * (1 - variance * shrink) * surprise;
      const line = spread[row] ?? [];
      for (let column = 0; column < mean.length; column++)
        line[column] = (line[column] ?? 0) - own * (reached[column] ?? 0) * shrink;
    }
    count++;
  }
  return { mean, spread, transitions: count };
}

// Bayesian logistic regression: predicts whether the next iteration passes, and updates its weights with every run.
import * as z from "zod";
import type { Transition } from "#spec/lesson";

/** Posterior of the weights: mean and covariance. */
export interface Weights {
  readonly mean: readonly number[];
  readonly spread: readonly (readonly number[])[];
  /** Number of training examples. */
  readonly transitions: number;
}

/** Learned weights in the options of a strategy, frozen when the run started. */
export const weightsOption = z.strictObject({
  mean: z.array(z.number()),
  spread: z.array(z.array(z.number())),
  transitions: z.int().min(0),
});

export interface Belief {
  /** Mean and standard deviation, in log odds. */
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

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

const toBelief = (middle: number, variance: number): Belief => ({
  middle,
  deviation: Math.sqrt(Math.max(0, variance)),
});

function varianceOf(spread: Weights["spread"], features: readonly number[]): number {
  let variance = 0;
  for (let at = 0; at < features.length; at++)
    if (features[at] !== 0) variance += (features[at] ?? 0) * dot(spread[at] ?? [], features);
  return variance;
}

export function beliefIn({ mean, spread }: Weights, features: readonly number[]): Belief {
  return toBelief(dot(mean, features), varianceOf(spread, features));
}

/** Probability, averaged over the uncertainty of the log odds. */
export function chanceOf({ middle, deviation }: Belief): number {
  return sigmoid(middle / Math.sqrt(1 + (Math.PI * deviation * deviation) / 8));
}

/**
 * Predicts features that differ from `features` only at the indexes `places`. Sums up all other features once, so that
 * looking far ahead is cheap.
 */
export function beliefWith(
  { mean, spread }: Weights,
  features: readonly number[],
  places: readonly number[],
): (values: readonly number[]) => Belief {
  const rest = features.map((own, at) => (places.includes(at) ? 0 : own));
  const base = { middle: dot(mean, rest), variance: varianceOf(spread, rest) };
  const product = places.map((at) => dot(spread[at] ?? [], rest));
  return (values) => {
    let { middle, variance } = base;
    for (let one = 0; one < places.length; one++) {
      const [place, value] = [places[one] ?? 0, values[one] ?? 0];
      middle += value * (mean[place] ?? 0);
      variance += 2 * value * (product[one] ?? 0);
      for (let other = 0; other < places.length; other++)
        variance += value * (values[other] ?? 0) * (spread[place]?.[places[other] ?? 0] ?? 0);
    }
    return toBelief(middle, variance);
  };
}

/** Online learner: updates the weights in place with one Newton step per example, and keeps no examples. */
export class Learner {
  readonly #size: number;
  readonly #mean: Float64Array;
  /** Covariance in row-major order. Symmetric: only the upper triangle is kept up to date. */
  readonly #spread: Float64Array;
  /** Covariance times features. */
  readonly #product: Float64Array;
  #transitions: number;

  constructor({ mean, spread, transitions }: Weights) {
    this.#size = mean.length;
    this.#mean = Float64Array.from(mean);
    this.#spread = Float64Array.from(spread.flat());
    this.#product = new Float64Array(mean.length);
    this.#transitions = transitions;
  }

  learn(transitions: readonly Transition[]): void {
    for (const { features, passed } of transitions) this.#step(features, passed ? 1 : 0);
  }

  #step(features: readonly number[], passed: number): void {
    this.#computeProduct(features);
    const variance = this.#dot(this.#product, features);
    const chance = chanceOf(toBelief(this.#dot(this.#mean, features), variance));
    const certainty = Math.max(1e-6, chance * (1 - chance));
    const shrink = certainty / (1 + certainty * variance);
    this.#update((1 - variance * shrink) * (passed - chance), shrink);
    this.#transitions++;
  }

  #dot(values: Float64Array, features: readonly number[]): number {
    let sum = 0;
    for (let at = 0; at < this.#size; at++) sum += (values[at] as number) * (features[at] ?? 0);
    return sum;
  }

  #computeProduct(features: readonly number[]): void {
    const size = this.#size;
    const spread = this.#spread;
    const product = this.#product;
    product.fill(0);
    for (let at = 0; at < size; at++) {
      const own = features[at] ?? 0;
      // Most features are 0 in most iterations.
      if (own === 0) continue;
      for (let row = 0; row < at; row++)
        product[row] = (product[row] as number) + own * (spread[row * size + at] as number);
      for (let column = at; column < size; column++)
        product[column] = (product[column] as number) + own * (spread[at * size + column] as number);
    }
  }

  #update(by: number, shrink: number): void {
    const size = this.#size;
    const mean = this.#mean;
    const spread = this.#spread;
    const product = this.#product;
    for (let row = 0; row < size; row++) {
      const own = product[row] as number;
      if (own === 0) continue;
      mean[row] = (mean[row] as number) + own * by;
      const less = own * shrink;
      for (let column = row; column < size; column++) {
        const at = row * size + column;
        spread[at] = (spread[at] as number) - less * (product[column] as number);
      }
    }
  }

  weights(): Weights {
    const each = Array.from({ length: this.#size }, (_, at) => at);
    const covariance = (row: number, column: number) =>
      this.#spread[Math.min(row, column) * this.#size + Math.max(row, column)] as number;
    return {
      mean: Array.from(this.#mean),
      spread: each.map((row) => each.map((column) => covariance(row, column))),
      transitions: this.#transitions,
    };
  }
}

/** Returns the weights after learning from the transitions. */
export function learn(start: Weights, transitions: readonly Transition[]): Weights {
  const learner = new Learner(start);
  learner.learn(transitions);
  return learner.weights();
}

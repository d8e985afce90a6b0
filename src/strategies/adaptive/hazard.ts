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

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

const believed = (middle: number, variance: number): Belief => ({
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
  return believed(dot(mean, features), varianceOf(spread, features));
}

/** The chance itself, with what is not known about it averaged out. */
export function chanceOf({ middle, deviation }: Belief): number {
  return sigmoid(middle / Math.sqrt(1 + (Math.PI * deviation * deviation) / 8));
}

/**
 * The belief in features that differ from `features` only at these places, with whatever values: all else is added up
 * once, so that looking far ahead costs little.
 */
export function beliefWith(
  { mean, spread }: Weights,
  features: readonly number[],
  places: readonly number[],
): (values: readonly number[]) => Belief {
  const rest = features.map((own, at) => (places.includes(at) ? 0 : own));
  const base = { middle: dot(mean, rest), variance: varianceOf(spread, rest) };
  const reached = places.map((at) => dot(spread[at] ?? [], rest));
  return (values) => {
    let { middle, variance } = base;
    for (let one = 0; one < places.length; one++) {
      const [place, value] = [places[one] ?? 0, values[one] ?? 0];
      middle += value * (mean[place] ?? 0);
      variance += 2 * value * (reached[one] ?? 0);
      for (let other = 0; other < places.length; other++)
        variance += value * (values[other] ?? 0) * (spread[place]?.[places[other] ?? 0] ?? 0);
    }
    return believed(middle, variance);
  };
}

/** Weights while they are learned, in one piece of memory. One pass, each a step of Newton's method; nothing else is kept. */
export class Learner {
  readonly #size: number;
  readonly #mean: Float64Array;
  /** Row by row, from the diagonal on: below it is the same again, and not kept up. */
  readonly #spread: Float64Array;
  /** Spread times features. */
  readonly #reached: Float64Array;
  #transitions: number;

  constructor({ mean, spread, transitions }: Weights) {
    this.#size = mean.length;
    this.#mean = Float64Array.from(mean);
    this.#spread = Float64Array.from(spread.flat());
    this.#reached = new Float64Array(mean.length);
    this.#transitions = transitions;
  }

  learn(transitions: readonly Transition[]): void {
    for (const { features, passed } of transitions) this.#step(features, passed ? 1 : 0);
  }

  #step(features: readonly number[], passed: number): void {
    this.#reach(features);
    const variance = this.#along(this.#reached, features);
    const chance = chanceOf(believed(this.#along(this.#mean, features), variance));
    const certainty = Math.max(1e-6, chance * (1 - chance));
    const shrink = certainty / (1 + certainty * variance);
    this.#move((1 - variance * shrink) * (passed - chance), shrink);
    this.#transitions++;
  }

  #along(values: Float64Array, features: readonly number[]): number {
    let sum = 0;
    for (let at = 0; at < this.#size; at++) sum += (values[at] as number) * (features[at] ?? 0);
    return sum;
  }

  #reach(features: readonly number[]): void {
    const size = this.#size;
    const spread = this.#spread;
    const reached = this.#reached;
    reached.fill(0);
    for (let at = 0; at < size; at++) {
      const own = features[at] ?? 0;
      // Most features are 0 most of the time.
      if (own === 0) continue;
      for (let row = 0; row < at; row++)
        reached[row] = (reached[row] as number) + own * (spread[row * size + at] as number);
      for (let column = at; column < size; column++)
        reached[column] = (reached[column] as number) + own * (spread[at * size + column] as number);
    }
  }

  #move(by: number, shrink: number): void {
    const size = this.#size;
    const mean = this.#mean;
    const spread = this.#spread;
    const reached = this.#reached;
    for (let row = 0; row < size; row++) {
      const own = reached[row] as number;
      if (own === 0) continue;
      mean[row] = (mean[row] as number) + own * by;
      const less = own * shrink;
      for (let column = row; column < size; column++) {
        const at = row * size + column;
        spread[at] = (spread[at] as number) - less * (reached[column] as number);
      }
    }
  }

  weights(): Weights {
    const each = Array.from({ length: this.#size }, (_, at) => at);
    const kept = (row: number, column: number) =>
      this.#spread[Math.min(row, column) * this.#size + Math.max(row, column)] as number;
    return {
      mean: Array.from(this.#mean),
      spread: each.map((row) => each.map((column) => kept(row, column))),
      transitions: this.#transitions,
    };
  }
}

/** What is believed after these transitions. */
export function learn(start: Weights, transitions: readonly Transition[]): Weights {
  const learner = new Learner(start);
  learner.learn(transitions);
  return learner.weights();
}

// Expected value of further iterations: the probability that each passes, against its cost.
import { AGE_INDEXES, ageFeatures, featuresOf } from "./features.ts";
import { type Belief, beliefIn, beliefWith, chanceOf, sigmoid, type Weights } from "./hazard.ts";
import type { Observation } from "./observations.ts";

export interface Worth {
  /** Expected gain of the best number of further iterations, in costs of one iteration. */
  readonly gain: number;
  /** The best number of further iterations. */
  readonly grant: number;
  /** Probability that the next iteration passes, with its 80 % interval. */
  readonly next: number;
  readonly interval: readonly [number, number];
  /** Probability that one of the remaining iterations passes. */
  readonly within: number;
  /** Probability that continuing is not worth its cost. */
  readonly sureToStop: number;
}

/** Optimism under uncertainty: standard deviations added to the mean, so that the model explores. */
const EXPLORATION = 1;
/** Normal quantile of an 80 % interval. */
const Z_80_PERCENT = 1.2816;
/** Bounds of the assumed cost of the next iteration, in costs of the mean one. */
const MAX_PRICE = 3;
const MIN_PRICE = 0.5;
/** Maximum number of iterations to look ahead. */
const HORIZON = 200;

/** Predicts each further iteration under the assumption that nothing improves. */
function predictAhead(weights: Weights, observation: Observation): (by: number) => Belief {
  const later = beliefWith(weights, featuresOf({ ...observation, improved: false }), AGE_INDEXES);
  const now = beliefIn(weights, featuresOf(observation));
  return (by) => {
    if (by === 0) return now;
    return later(
      ageFeatures({ iterations: observation.iterations + by, stagnant: observation.stagnant + by }),
    );
  };
}

/** Cumulative distribution function of the standard normal distribution. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const density = Math.exp((-z * z) / 2) * 0.3989422804;
  const tail =
    density *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

/**
 * Assumed cost of the next iterations, in costs of the run's mean one: halfway between the mean and the last one, which may
 * be an outlier. 1 when the cost is unknown.
 */
function priceOf({ effort }: Observation): number {
  return Math.min(MAX_PRICE, Math.max(MIN_PRICE, Math.exp(effort / 2)));
}

interface Stake {
  /** Number of iterations left. */
  readonly left: number;
  /** Value of a solved task, in costs of one iteration. */
  readonly value: number;
}

export function worthOf(weights: Weights, observation: Observation, { left, value }: Stake): Worth {
  let [gain, grant, sum, open, unsolved] = [Number.NEGATIVE_INFINITY, 0, 0, 1, 1];
  let [optimistic, chance] = [1, 1];
  const beliefAt = predictAhead(weights, observation);
  const price = priceOf(observation);
  for (let by = 0; by < Math.min(left, HORIZON); by++) {
    const belief = beliefAt(by);
    // Probabilities never rise with time alone, even where the model extrapolates.
    optimistic = Math.min(optimistic, sigmoid(belief.middle + EXPLORATION * belief.deviation));
    chance = Math.min(chance, chanceOf(belief));
    sum += open * (optimistic * value - price);
    open *= 1 - optimistic;
    unsolved *= 1 - chance;
    if (sum > gain) [gain, grant] = [sum, by + 1];
  }
  const now = beliefAt(0);
  const odds = Math.log(1 / Math.max(1e-9, value / price - 1));
  return {
    gain,
    grant,
    next: chanceOf(now),
    interval: [
      sigmoid(now.middle - Z_80_PERCENT * now.deviation),
      sigmoid(now.middle + Z_80_PERCENT * now.deviation),
    ],
    within: 1 - unsolved,
    sureToStop: normalCdf((odds - now.middle) / Math.max(1e-9, now.deviation)),
  };
}

// Whether going on is worth it: the chance that each further iteration passes, against what it costs.
import { AGEING, agedOf, featuresOf } from "./features.ts";
import { type Belief, beliefIn, beliefWith, chanceOf, sigmoid, type Weights } from "./hazard.ts";
import type { Seen } from "./observations.ts";

export interface Worth {
  /** Expected gain of the best number of further iterations, in costs of one iteration. */
  readonly gain: number;
  /** That number. */
  readonly grant: number;
  /** That the next iteration passes, with an interval that holds in four of five cases. */
  readonly next: number;
  readonly interval: readonly [number, number];
  /** That one of those left passes. */
  readonly within: number;
  /** How sure it is that going on is not worth it. */
  readonly sureToStop: number;
}

/** Deviations above the middle at which chances are taken: what is not known is worth finding out. */
const CURIOSITY = 1;
const FOUR_OF_FIVE = 1.2816;
/** The next iteration is taken to cost so many times the mean one at most, and at least. */
const DEAREST = 3;
const CHEAPEST = 0.5;
/** Nobody looks further ahead. */
const HORIZON = 200;

/** What is believed of each iteration to come if nothing new happens: time passes, and nothing improves. */
function ahead(weights: Weights, seen: Seen): (by: number) => Belief {
  const later = beliefWith(weights, featuresOf({ ...seen, improved: false }), AGEING);
  const now = beliefIn(weights, featuresOf(seen));
  return (by) => {
    if (by === 0) return now;
    return later(agedOf({ iterations: seen.iterations + by, stagnant: seen.stagnant + by }));
  };
}

/** Area of the normal curve below z. */
function normal(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const density = Math.exp((-z * z) / 2) * 0.3989422804;
  const tail =
    density *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}

/**
 * What the next iterations cost, in costs of the run's mean one: half way between that and the last, which may have been an
 * exception. One where nothing tells what iterations cost.
 */
function priceOf({ effort }: Seen): number {
  return Math.min(DEAREST, Math.max(CHEAPEST, Math.exp(effort / 2)));
}

/** `value` is what a solved task is worth, in costs of one iteration; `left` is how many there may still be. */
export function worthOf(weights: Weights, seen: Seen, left: number, value: number): Worth {
  let [gain, grant, sum, open, unsolved] = [Number.NEGATIVE_INFINITY, 0, 0, 1, 1];
  let [hoped, chance] = [1, 1];
  const beliefAt = ahead(weights, seen);
  const price = priceOf(seen);
  for (let by = 0; by < Math.min(left, HORIZON); by++) {
    const belief = beliefAt(by);
    // Time alone makes nothing likelier, whatever the curve says out there where nobody has been.
    hoped = Math.min(hoped, sigmoid(belief.middle + CURIOSITY * belief.deviation));
    chance = Math.min(chance, chanceOf(belief));
    sum += open * (hoped * value - price);
    open *= 1 - hoped;
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
      sigmoid(now.middle - FOUR_OF_FIVE * now.deviation),
      sigmoid(now.middle + FOUR_OF_FIVE * now.deviation),
    ],
    within: 1 - unsolved,
    sureToStop: normal((odds - now.middle) / Math.max(1e-9, now.deviation)),
  };
}

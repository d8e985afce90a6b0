// Continues while the expected value is positive: weighs the learned probability that another iteration passes against its cost.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineStrategy } from "#options/part";
import { show } from "#options/sentence";
import type { Decision } from "#spec/decision";
import type { Transition } from "#spec/lesson";
import type { Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { likelihood, percent } from "#text/format";
import { breakCircle } from "../shared/circle.ts";
import { findCycle } from "../shared/cycle.ts";
import { divergence } from "../shared/diverging.ts";
import { freshStartOr } from "../shared/fresh-start.ts";
import { usedUp } from "../shared/last-iteration.ts";
import { whileRed } from "../shared/while-red.ts";
import { type Worth, worthOf } from "./expected-value.ts";
import { featuresOf, type Group, PRIOR, shares } from "./features.ts";
import { type Weights, weightsOption } from "./hazard.ts";
import { type Observation, observationsOf, workedIterations } from "./observations.ts";

/** Value of a solved task, in costs of one iteration. */
const VALUES = { cheap: 20, thrifty: 50, default: 100, stubborn: 300 } as const;

export interface AdaptiveOptions {
  readonly value?: keyof typeof VALUES | number;
  /** Weights learned before this run. Defaults to the prior. */
  readonly weights?: Weights;
}

/** Minimum number of iterations: with learned weights, and without. */
const MIN_ITERATIONS = 2;
const MIN_ITERATIONS_UNTRAINED = 3;

export function adaptive({ value = "default", weights = PRIOR }: AdaptiveOptions = {}): Strategy {
  const worth = typeof value === "number" ? value : VALUES[value];
  const minIterations = weights.transitions > 0 ? MIN_ITERATIONS : MIN_ITERATIONS_UNTRAINED;
  return whileRed((run, latest) => {
    const left = run.task.limits.iterations - latest.number;
    if (left <= 0) return usedUp(run);
    const cycle = findCycle(run);
    if (cycle) return breakCircle(cycle, run);
    const worse = divergence(run);
    if (worse) return freshStartOr(worse, run, left);
    const observation = observationsOf(run).at(-1);
    if (observation === undefined || observation.iterations < minIterations)
      return { continue: true, reason: `the first ${minIterations} iterations always run`, confidence: 1 };
    const expected = worthOf(weights, observation, { left, value: worth });
    return expected.gain > 0
      ? goOn(expected, observation, weights)
      : freshStartOr(giveUp(expected, observation, weights), run, left);
  });
}

/** Training data of a run: the features of each iteration, and whether the next one passed. */
export function transitionsOf(run: Run): readonly Transition[] {
  const counted = workedIterations(run);
  return observationsOf(run).flatMap((observation, at) => {
    const next = counted[at + 1];
    return next ? [{ features: featuresOf(observation), passed: (next.score ?? 0) >= 1 }] : [];
  });
}

/** Contribution of each group of features to the log odds, rounded, without zeros. */
function contributions(weights: Weights, observation: Observation): Record<string, number> {
  const rounded = [...shares(weights.mean, featuresOf(observation))].map(
    ([group, share]) => [group, Math.round(100 * share) / 100] as const,
  );
  return Object.fromEntries(rounded.filter(([, share]) => share !== 0));
}

function facts(worth: Worth, observation: Observation, weights: Weights): Record<string, unknown> {
  const { next, interval, within, grant } = worth;
  const { transitions } = weights;
  return { next, interval, within, grant, transitions, features: contributions(weights, observation) };
}

function goOn(worth: Worth, observation: Observation, weights: Weights): Decision {
  const { next, within, grant, sureToStop } = worth;
  const reason = `another iteration is worth its cost: it passes with ${likelihood(next)}, one of the remaining ones with ${likelihood(within)}; up to ${grant} more`;
  return { continue: true, reason, confidence: 1 - sureToStop, metadata: facts(worth, observation, weights) };
}

const WORDS: Readonly<Record<Group, (observation: Observation) => string>> = {
  length: ({ iterations }) => `${iterations} iterations have not solved it`,
  stagnation: ({ stagnant }) => `nothing has improved for ${stagnant} iterations`,
  progress: () => "there is little progress",
  regression: ({ best, score }) => `the score fell from ${percent(best)} to ${percent(score)}`,
  repeats: ({ repeats, unchanged }) =>
    unchanged > 0
      ? `the files stayed the same for ${unchanged} iterations`
      : `the files returned to an earlier state ${repeats} times`,
  alike: () => "the agent and the gates repeat themselves",
  failures: () => "the same tests fail as before",
  effort: () => "iterations cost more than they did",
};

function giveUp(worth: Worth, observation: Observation, weights: Weights): Decision {
  const against = [...shares(weights.mean, featuresOf(observation))]
    .filter(([group, share]) => share < -0.05 && group !== "length")
    .sort(([, one], [, other]) => one - other)
    .slice(0, 2)
    .map(([group]) => WORDS[group](observation));
  const why = against.length > 0 ? against.join(", and ") : WORDS.length(observation);
  const reason = `not worth another iteration: ${why}; it would pass with ${likelihood(worth.next)}`;
  return {
    continue: false,
    reason,
    confidence: worth.sureToStop,
    metadata: facts(worth, observation, weights),
  };
}

const valueOption = z.union(
  [z.enum(Object.keys(VALUES) as (keyof typeof VALUES)[]), z.number().min(1).max(1_000_000)],
  {
    error: ({ input }) =>
      `expected ${Object.keys(VALUES).join(", ")} or a number from 1 on, got ${show(input)}`,
  },
);

export const adaptiveStrategy = defineStrategy({
  type: "adaptive",
  summary: "Continues while another iteration is worth its cost, learned from earlier runs of the project.",
  options: z.strictObject({ value: valueOption.optional(), weights: weightsOption.optional() }),
  traits: { needsGates: () => true, learnsFrom: () => 0 },
  create: (options) => adaptive(dropUndefined(options)),
});

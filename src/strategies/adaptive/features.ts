// Features of the model, each with its prior mean and deviation.
import { weightsOf } from "./hazard.ts";
import type { Observation } from "./observations.ts";

interface Feature {
  readonly name: string;
  readonly of: (observation: Observation) => number;
  readonly mean: number;
  readonly deviation: number;
  /** Group that the decision's reason names. */
  readonly about:
    | "length"
    | "stagnation"
    | "progress"
    | "regression"
    | "repeats"
    | "alike"
    | "failures"
    | "effort";
}

/** Values that change with time alone. */
export type Age = Pick<Observation, "iterations" | "stagnant">;
const iterationsOf = ({ iterations }: Age): number => Math.log(iterations);
const stagnationOf = ({ stagnant }: Age): number => Math.log(1 + stagnant);

// Prior means only give a direction, with deviations wide enough for a project's first runs to override them. A mean of 0 is learned from data alone.
const FEATURES: readonly Feature[] = [
  { name: "always", of: () => 1, mean: -0.9, deviation: 1.2, about: "length" },
  {
    name: "iterations",
    of: iterationsOf,
    mean: -0.3,
    deviation: 0.5,
    about: "length",
  },
  {
    name: "stagnation",
    of: stagnationOf,
    mean: -0.4,
    deviation: 0.8,
    about: "stagnation",
  },
  { name: "improved", of: ({ improved }) => Number(improved), mean: 0.8, deviation: 0.7, about: "progress" },
  {
    name: "regression",
    of: ({ best, score }) => best - score,
    mean: -0.3,
    deviation: 0.5,
    about: "regression",
  },
  { name: "best", of: ({ best }) => best, mean: 0.2, deviation: 0.5, about: "progress" },
  {
    name: "files seen before",
    of: ({ repeated }) => Number(repeated),
    mean: -1,
    deviation: 0.9,
    about: "repeats",
  },
  {
    name: "repeats",
    of: ({ repeats }) => Math.log(1 + repeats),
    mean: -0.4,
    deviation: 0.5,
    about: "repeats",
  },
  {
    name: "files unchanged",
    of: ({ unchanged }) => Math.log(1 + unchanged),
    mean: -0.3,
    deviation: 0.5,
    about: "repeats",
  },
  {
    name: "messages alike",
    of: ({ sameWords }) => Math.log(1 + sameWords),
    mean: -0.3,
    deviation: 0.5,
    about: "alike",
  },
  {
    name: "outputs alike",
    of: ({ sameOutput }) => Math.log(1 + sameOutput),
    mean: -0.3,
    deviation: 0.5,
    about: "alike",
  },
  {
    name: "new output",
    of: ({ newOutput }) => Number(newOutput),
    mean: 0.3,
    deviation: 0.5,
    about: "progress",
  },
  {
    name: "failing set seen before",
    of: ({ sameFailing }) => Number(sameFailing),
    mean: 0,
    deviation: 0.5,
    about: "failures",
  },
  { name: "newly broken", of: ({ broken }) => broken, mean: 0, deviation: 0.5, about: "failures" },
  { name: "effort", of: ({ effort }) => effort, mean: 0, deviation: 0.5, about: "effort" },
  { name: "lines changed", of: ({ lines }) => Math.log(1 + lines), mean: 0, deviation: 0.3, about: "effort" },
];

/** Indexes of the features that change with time alone. */
export const AGE_INDEXES: readonly number[] = [iterationsOf, stagnationOf].map((feature) =>
  FEATURES.findIndex(({ of }) => of === feature),
);
export const ageFeatures = (age: Age): readonly number[] => [iterationsOf(age), stagnationOf(age)];

export type Group = Feature["about"];

export const PRIOR = weightsOf(
  FEATURES.map(({ mean }) => mean),
  FEATURES.map(({ deviation }) => deviation),
);

export const NAMES: readonly string[] = FEATURES.map(({ name }) => name);

export function featuresOf(observation: Observation): number[] {
  return FEATURES.map(({ of }) => of(observation));
}

/** Sums the contribution of each group of features to the log odds. */
export function shares(mean: readonly number[], features: readonly number[]): ReadonlyMap<Group, number> {
  const sums = new Map<Group, number>();
  for (const [at, { about }] of FEATURES.entries())
    sums.set(about, (sums.get(about) ?? 0) + (mean[at] ?? 0) * (features[at] ?? 0));
  return sums;
}

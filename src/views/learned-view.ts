// Read model: the learned stopping model per project and agent, as chances of success in typical situations.
import type { LearnedModel } from "#spec/learned";
import { LESSON_VERSION, type Lesson } from "#spec/lesson";
import { worthOf } from "#strategies/adaptive/expected-value";
import { NAMES, PRIOR } from "#strategies/adaptive/features";
import type { Weights } from "#strategies/adaptive/hazard";
import { weightsFor } from "#strategies/adaptive/learned";
import type { Observation } from "#strategies/adaptive/observations";

const FIRST_ITERATION: Observation = {
  iterations: 1,
  score: 0.5,
  best: 0.5,
  stagnant: 0,
  improved: false,
  repeated: false,
  repeats: 0,
  unchanged: 0,
  sameWords: 0,
  sameOutput: 0,
  newOutput: true,
  sameFailing: false,
  broken: 0,
  effort: 0,
  lines: 0,
};

const SITUATIONS: readonly (readonly [name: string, observation: Observation])[] = [
  ["after iteration 1", FIRST_ITERATION],
  ["after iteration 3, which improved", { ...FIRST_ITERATION, iterations: 3, improved: true }],
  ["after iteration 3, no improvement since iteration 1", { ...FIRST_ITERATION, iterations: 3, stagnant: 2 }],
  ["after iteration 6, no improvement since iteration 1", { ...FIRST_ITERATION, iterations: 6, stagnant: 5 }],
  [
    "after iteration 4, with the files of an earlier one",
    { ...FIRST_ITERATION, iterations: 4, stagnant: 2, repeated: true, repeats: 1, unchanged: 1 },
  ],
  [
    "after iteration 5, the third with the same message and output",
    { ...FIRST_ITERATION, iterations: 5, stagnant: 3, sameWords: 2, sameOutput: 2, newOutput: false },
  ],
];

const chances = (weights: Weights, observation: Observation) =>
  worthOf(weights, observation, { left: 1, value: 100 });

function modelOf(lessons: readonly Lesson[], workspace: string, agent: string): LearnedModel {
  const weights = weightsFor(lessons, { workspace, agent });
  const own = lessons.filter((one) => one.workspace === workspace && one.agent === agent);
  return {
    workspace,
    agent,
    runs: own.length,
    transitions: weights.transitions,
    situations: SITUATIONS.map(([name, observation]) => {
      const { next, interval } = chances(weights, observation);
      return { name, chance: next, interval, before: chances(PRIOR, observation).next };
    }),
    weights: NAMES.map((name, at) => ({
      name,
      mean: weights.mean[at] ?? 0,
      deviation: Math.sqrt(weights.spread[at]?.[at] ?? 0),
    })),
  };
}

/** One model per project and agent with lessons. */
export function modelsIn(all: readonly Lesson[]): readonly LearnedModel[] {
  const lessons = all.filter(({ v }) => v === LESSON_VERSION);
  const keys = new Map(
    lessons.map(({ workspace, agent }) => [JSON.stringify([workspace, agent]), { workspace, agent }]),
  );
  return [...keys.values()].map(({ workspace, agent }) => modelOf(lessons, workspace, agent));
}

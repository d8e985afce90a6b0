// Replays all runs with a strategy, in one or more orders, and collects the results.
import { usagesIn } from "#loop/usages";
import type { Contender } from "./contender.ts";
import { type Prediction, replayRun } from "./replay.ts";
import type { Sequence } from "./sequence.ts";

export interface Result {
  readonly sequence: Sequence;
  readonly used: number;
  readonly predictions: readonly Prediction[];
}

export interface Trial {
  readonly name: string;
  /** One list per order; a strategy that does not learn has one. */
  readonly orders: readonly (readonly Result[])[];
}

export async function runTrial(
  contender: Contender,
  orders: readonly (readonly Sequence[])[],
  onStep: () => void = () => {},
): Promise<Trial> {
  const all: Result[][] = [];
  for (const order of contender.learns ? orders : orders.slice(0, 1)) {
    const pass = contender.start();
    const results: Result[] = [];
    for (const sequence of order) {
      // A run of one iteration needs no decision.
      const strategy = sequence.run.iterations.length > 1 ? await pass.strategyFor(sequence) : undefined;
      const { used, predictions } = strategy
        ? await replayRun(sequence.run, strategy)
        : { used: sequence.run.iterations.length, predictions: [] };
      pass.ended(sequence, used);
      results.push({ sequence, used, predictions });
      onStep();
    }
    all.push(results);
  }
  return { name: contender.name, orders: all };
}

const costs = new WeakMap<Sequence, readonly (number | undefined)[]>();

/** Cost per iteration, where known; cached per sequence. */
function costsOf(sequence: Sequence): readonly (number | undefined)[] {
  const cached = costs.get(sequence);
  if (cached) return cached;
  const each = sequence.run.iterations.map((iteration) => {
    const known = usagesIn(iteration).flatMap(({ costUsd }) => costUsd ?? []);
    return known.length === 0 ? undefined : known.reduce((sum, cost) => sum + cost, 0);
  });
  costs.set(sequence, each);
  return each;
}

/** The cost of the whole run and of the allowed iterations; undefined when any cost is unknown. */
export function costOf({ sequence, used }: Result): { all: number; used: number } | undefined {
  const each = costsOf(sequence);
  let [all, usedCost] = [0, 0];
  for (const [at, cost] of each.entries()) {
    if (cost === undefined) return undefined;
    all += cost;
    if (at < used) usedCost += cost;
  }
  return { all, used: usedCost };
}

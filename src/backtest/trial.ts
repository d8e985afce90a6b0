// Tries a strategy on all runs, in one or several orders, and keeps what came of each.
import { usagesIn } from "#loop/usages";
import type { Contender } from "./contender.ts";
import { replayed, type Told } from "./replay.ts";
import type { Sequence } from "./sequence.ts";

export interface Result {
  readonly sequence: Sequence;
  readonly used: number;
  readonly told: readonly Told[];
}

export interface Trial {
  readonly name: string;
  /** One list for each order; a strategy that does not learn has one. */
  readonly orders: readonly (readonly Result[])[];
}

export async function tryOut(
  contender: Contender,
  orders: readonly (readonly Sequence[])[],
  onStep: () => void = () => {},
): Promise<Trial> {
  const all: Result[][] = [];
  for (const order of contender.learns ? orders : orders.slice(0, 1)) {
    const turn = contender.start();
    const results: Result[] = [];
    for (const sequence of order) {
      // Nothing is asked about a run of one iteration.
      const strategy = sequence.run.iterations.length > 1 ? await turn.strategyFor(sequence) : undefined;
      const { used, told } = strategy
        ? await replayed(sequence.run, strategy)
        : { used: sequence.run.iterations.length, told: [] };
      turn.ended(sequence, used);
      results.push({ sequence, used, told });
      onStep();
    }
    all.push(results);
  }
  return { name: contender.name, orders: all };
}

const costs = new WeakMap<Sequence, readonly (number | undefined)[]>();

/** Of each iteration, where it is known. */
function costsOf(sequence: Sequence): readonly (number | undefined)[] {
  const found = costs.get(sequence);
  if (found) return found;
  const each = sequence.run.iterations.map((iteration) => {
    const known = usagesIn(iteration).flatMap(({ costUsd }) => costUsd ?? []);
    return known.length === 0 ? undefined : known.reduce((sum, cost) => sum + cost, 0);
  });
  costs.set(sequence, each);
  return each;
}

/** What the run cost, and what it would have; undefined when the cost of an iteration is not known. */
export function costOf({ sequence, used }: Result): { all: number; used: number } | undefined {
  const each = costsOf(sequence);
  let [all, mine] = [0, 0];
  for (const [at, cost] of each.entries()) {
    if (cost === undefined) return undefined;
    all += cost;
    if (at < used) mine += cost;
  }
  return { all, used: mine };
}

// Tells whether a run has come back to a state that it was in before: the same files, and the same tests failing.
import type { Iteration, Run } from "#spec/run";
import { stable } from "#spec/stable";

export interface Cycle {
  /** Numbers of the iterations that left this state, oldest first. */
  readonly iterations: readonly number[];
  /** Tests that fail in it, as far as they have names. */
  readonly failing: readonly string[];
}

/** As often as a state must come up to be a circle, at whatever distance. */
const TIMES = 3;

/** Names of the tests that fail, stable over iterations, each once. */
export function failingIn({ verdicts }: Iteration): readonly string[] {
  const ids = verdicts.flatMap(({ verdict }) =>
    verdict.failures.flatMap(({ id }) => (id ? [stable(id)] : [])),
  );
  return [...new Set(ids)].sort();
}

/** Undefined for an iteration that shows nothing: its agent failed, or there is no snapshot. */
function stateOf(iteration: Iteration): string | undefined {
  const { snapshot, agent, verdicts } = iteration;
  if (!snapshot || agent?.ok === false) return undefined;
  const status = verdicts.map(({ gate, verdict }) => [gate, verdict.status, verdict.score]);
  return JSON.stringify([snapshot.tree, status, failingIn(iteration)]);
}

/** The circle that the latest iteration closes, however long it is. */
export function findCycle({ iterations }: Run): Cycle | undefined {
  const latest = iterations.at(-1);
  const state = latest && stateOf(latest);
  if (!latest || state === undefined) return undefined;
  const same = iterations.filter((iteration) => stateOf(iteration) === state);
  if (same.length < TIMES) return undefined;
  return { iterations: same.map(({ number }) => number), failing: failingIn(latest) };
}

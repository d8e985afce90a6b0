// Updates a run without mutating it, except for lists that only `foldAll` references.
import type { Iteration, Run } from "#spec/run";

/** Lists that only `foldAll` references: they are mutated in place, so a long run is not copied for each event. */
const mutableLists = new WeakSet<readonly Iteration[]>();

/** Lets `work` mutate the lists of iterations that it copies with its argument. */
export function withMutableLists<T>(work: (copy: (run: Run) => Run) => T): T {
  let own: Iteration[] | undefined;
  const copy = (run: Run): Run => {
    if (run.iterations === own) return run;
    own = [...run.iterations];
    mutableLists.add(own);
    return { ...run, iterations: own };
  };
  try {
    return work(copy);
  } finally {
    if (own) mutableLists.delete(own);
  }
}

/** Sets the item at index `at`, which may be one past the end. */
export function putIteration(
  list: readonly Iteration[],
  at: number,
  iteration: Iteration,
): readonly Iteration[] {
  const changed = mutableLists.has(list) ? (list as Iteration[]) : [...list];
  changed[at] = iteration;
  return changed;
}

/** Applies `change` to iteration `number`; 0 is the baseline. */
export function amendIteration(run: Run, number: number, change: (iteration: Iteration) => Iteration): Run {
  if (number === 0) return { ...run, baseline: change(run.baseline) };
  const at = run.iterations.findLastIndex((iteration) => iteration.number === number);
  const current = run.iterations[at];
  return current ? { ...run, iterations: putIteration(run.iterations, at, change(current)) } : run;
}

export function omit<T extends object, K extends keyof T>(value: T, ...keys: K[]): Omit<T, K> {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}

/** Lets a parked run continue. */
export function unpark(run: Run): Run {
  return run.state === "waiting" ? { ...omit(run, "waitingFor"), state: "running" } : run;
}

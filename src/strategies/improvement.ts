// Finds the last iteration that improved something: fewer failures, a newly passing gate, a higher level or score, or
// errors that are new to the run.
import { failingCount } from "#rules/best-iteration";
import type { Iteration, Run } from "#spec/run";
import { normalise } from "#text/normalise";
import { hasWorked } from "./shared/worked.ts";

/** Rounding tolerance of scores, which are sums of fractions. */
const EPSILON = 1e-9;

// Cache of normalised errors: every decision reads all iterations so far.
const errorSets = new WeakMap<Iteration["verdicts"], string>();

/** Key of the normalised set of errors; empty when no gate reported one. */
function errorKey({ verdicts }: Iteration): string {
  const cached = errorSets.get(verdicts);
  if (cached !== undefined) return cached;
  const errors = verdicts.flatMap(({ gate, verdict }) =>
    verdict.failures.map(({ id, message }) => JSON.stringify([gate, normalise(id || message)])),
  );
  const name = [...new Set(errors)].sort().join("\n");
  errorSets.set(verdicts, name);
  return name;
}

/** Best value of each measure so far. */
class BestValues {
  #failing = Number.POSITIVE_INFINITY;
  #score = Number.NEGATIVE_INFINITY;
  readonly #passed = new Set<string>();
  readonly #levels = new Map<string, number>();
  readonly #errors = new Set<string>();

  /** Records the iteration and returns whether it is better than all earlier ones in any measure. */
  record(iteration: Iteration): boolean {
    // Evaluates every measure, without short-circuiting, because each one records.
    return [
      this.#recordScore(iteration),
      this.#recordFailing(failingCount(iteration)),
      this.#recordGates(iteration),
      this.#recordErrors(errorKey(iteration)),
    ].includes(true);
  }

  #recordScore({ score = 0 }: Iteration): boolean {
    const isHigher = score > this.#score + EPSILON;
    if (isHigher) this.#score = score;
    return isHigher;
  }

  #recordFailing(failing: number): boolean {
    if (failing === 0 || failing >= this.#failing) return false;
    this.#failing = failing;
    return true;
  }

  #recordGates({ verdicts }: Iteration): boolean {
    let isNew = false;
    for (const { gate, verdict } of verdicts) {
      if (verdict.status === "passed" && !this.#passed.has(gate))
        isNew = this.#passed.add(gate) !== undefined;
      const { levels } = verdict;
      if (levels === undefined || levels <= (this.#levels.get(gate) ?? -1)) continue;
      this.#levels.set(gate, levels);
      isNew = true;
    }
    return isNew;
  }

  #recordErrors(errors: string): boolean {
    if (errors === "" || this.#errors.has(errors)) return false;
    this.#errors.add(errors);
    return true;
  }
}

/** Number of the last iteration that improved something, or of the resume; 0 when nothing has improved since the start. */
export function lastImprovement({ baseline, iterations, reopenedAt = 0 }: Run): number {
  const best = new BestValues();
  if (baseline.verdicts.length > 0) best.record(baseline);
  let last = reopenedAt;
  for (const iteration of iterations)
    if (hasWorked(iteration) && best.record(iteration)) last = Math.max(last, iteration.number);
  return last;
}

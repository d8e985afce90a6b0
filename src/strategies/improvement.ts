// Finds the last iteration in which something got better: fewer failures, a gate that newly passes, a higher level or
// score, or errors that the run has not had before.
import { failingCount } from "#rules/best-iteration";
import type { Iteration, Run } from "#spec/run";
import { stable } from "#text/normalise";
import { hasWorked } from "./shared/worked.ts";

/** Slack for scores that are sums of fractions. */
const EPSILON = 1e-9;

// Every decision looks at all iterations so far; normalising long messages once is enough.
const errorSets = new WeakMap<Iteration["verdicts"], string>();

/** Names the set of errors, normalised; empty when no gate reported one. */
function errorsIn({ verdicts }: Iteration): string {
  const found = errorSets.get(verdicts);
  if (found !== undefined) return found;
  const errors = verdicts.flatMap(({ gate, verdict }) =>
    verdict.failures.map(({ id, message }) => JSON.stringify([gate, stable(id || message)])),
  );
  const name = [...new Set(errors)].sort().join("\n");
  errorSets.set(verdicts, name);
  return name;
}

/** The best values of the run so far, each on its own. */
class Marks {
  #failing = Number.POSITIVE_INFINITY;
  #score = Number.NEGATIVE_INFINITY;
  readonly #passed = new Set<string>();
  readonly #levels = new Map<string, number>();
  readonly #errors = new Set<string>();

  /** Records the iteration, and tells whether it is better in any respect than all before it. */
  record(iteration: Iteration): boolean {
    // All of them record: one that answers must not keep the others from looking.
    return [
      this.#recordScore(iteration),
      this.#recordFailing(failingCount(iteration)),
      this.#recordGates(iteration),
      this.#recordErrors(errorsIn(iteration)),
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

/** The number of the last iteration that improved something; 0 when nothing has since the start or the resume. */
export function lastImprovement({ baseline, iterations, reopenedAt = 0 }: Run): number {
  const marks = new Marks();
  if (baseline.verdicts.length > 0) marks.record(baseline);
  let last = reopenedAt;
  for (const iteration of iterations)
    if (hasWorked(iteration) && marks.record(iteration)) last = Math.max(last, iteration.number);
  return last;
}

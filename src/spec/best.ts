// The iteration worth keeping: best score, then fewest failures, then smallest difference from the base, then earliest.
// The base counts as iteration 0.
import type { Iteration, Run } from "./run.ts";

/** Tests that fail in this iteration, over all gates; where no test fails or none are counted, the failures named. */
export function failingCount(iteration: Iteration): number {
  return iteration.verdicts.reduce(
    (sum, { verdict }) => sum + (verdict.tests?.failed || verdict.failures.length),
    0,
  );
}

export interface Best {
  readonly iteration: number;
  readonly tree: string;
  readonly score: number;
}

interface Candidate extends Best {
  readonly failures: number;
  /** Undefined when nobody counted. */
  readonly lines: number | undefined;
}

function candidateOf(iteration: Iteration): Candidate | undefined {
  const { number, score, snapshot } = iteration;
  if (score === undefined || !snapshot) return undefined;
  const lines = number === 0 ? 0 : snapshot.linesFromBase;
  return { iteration: number, tree: snapshot.tree, score, failures: failingCount(iteration), lines };
}

function isBetter(one: Candidate, than: Candidate): boolean {
  if (one.score !== than.score) return one.score > than.score;
  if (one.failures !== than.failures) return one.failures < than.failures;
  return one.lines !== undefined && than.lines !== undefined && one.lines < than.lines;
}

export function best(run: Run): Best | undefined {
  let found: Candidate | undefined;
  for (const iteration of [run.baseline, ...run.iterations]) {
    const one = candidateOf(iteration);
    if (one && (!found || isBetter(one, found))) found = one;
  }
  return found && { iteration: found.iteration, tree: found.tree, score: found.score };
}

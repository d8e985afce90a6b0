// The iteration worth keeping: best score, then fewest failures, then smallest difference from the base, then earliest.
// The base counts as iteration 0.
import type { Iteration, Run } from "#spec/run";

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

/** Fewer failures or a higher score; of equals neither is. */
function isStrictlyBetter(one: Candidate, than: Candidate): boolean {
  if (one.score !== than.score) return one.score > than.score;
  return one.failures < than.failures;
}

function isBetter(one: Candidate, than: Candidate): boolean {
  if (isStrictlyBetter(one, than)) return true;
  if (isStrictlyBetter(than, one)) return false;
  return one.lines !== undefined && than.lines !== undefined && one.lines < than.lines;
}

function findBest(run: Run): Candidate | undefined {
  let found: Candidate | undefined;
  for (const iteration of [run.baseline, ...run.iterations]) {
    const one = candidateOf(iteration);
    if (one && (!found || isBetter(one, found))) found = one;
  }
  return found;
}

const withoutCounts = ({ iteration, tree, score }: Candidate): Best => ({ iteration, tree, score });

export function best(run: Run): Best | undefined {
  const found = findBest(run);
  return found && withoutCounts(found);
}

/**
 * The best iteration, when it is strictly better than the files that the run leaves. Going back to one that is only as
 * good would throw the agent's work away.
 */
export function bestBeyondLast(run: Run): Best | undefined {
  const found = findBest(run);
  const left = [run.baseline, ...run.iterations].findLast(({ snapshot }) => snapshot?.tree === run.tree);
  const last = candidateOf(left ?? run.iterations.at(-1) ?? run.baseline);
  if (!found || found.tree === run.tree) return undefined;
  return !last || isStrictlyBetter(found, last) ? withoutCounts(found) : undefined;
}

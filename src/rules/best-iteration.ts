// Picks the best iteration: highest score, then fewest failures, then smallest difference from the base, then earliest.
// The base counts as iteration 0.
import type { Iteration, Run } from "#spec/run";

/** Failing tests of the iteration over all gates; a gate without failing tests or counts adds its named failures. */
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
  /** Undefined when unknown. */
  readonly lines: number | undefined;
}

function candidateOf(iteration: Iteration): Candidate | undefined {
  const { number, score, snapshot } = iteration;
  if (score === undefined || !snapshot) return undefined;
  const lines = number === 0 ? 0 : snapshot.linesFromBase;
  return { iteration: number, tree: snapshot.tree, score, failures: failingCount(iteration), lines };
}

/** A higher score, or fewer failures at the same score. */
function isStrictlyBetter(candidate: Candidate, other: Candidate): boolean {
  if (candidate.score !== other.score) return candidate.score > other.score;
  return candidate.failures < other.failures;
}

function isBetter(candidate: Candidate, other: Candidate): boolean {
  if (isStrictlyBetter(candidate, other)) return true;
  if (isStrictlyBetter(other, candidate)) return false;
  return candidate.lines !== undefined && other.lines !== undefined && candidate.lines < other.lines;
}

function findBest(run: Run): Candidate | undefined {
  let bestSoFar: Candidate | undefined;
  for (const iteration of [run.baseline, ...run.iterations]) {
    const candidate = candidateOf(iteration);
    if (candidate && (!bestSoFar || isBetter(candidate, bestSoFar))) bestSoFar = candidate;
  }
  return bestSoFar;
}

const withoutCounts = ({ iteration, tree, score }: Candidate): Best => ({ iteration, tree, score });

export function best(run: Run): Best | undefined {
  const winner = findBest(run);
  return winner && withoutCounts(winner);
}

/**
 * The iteration to roll back to when nobody names one: highest score, then fewest failures. The latest of equals, because
 * going back further would discard more of the agent's work. Without any score, the latest with a snapshot.
 */
export function bestToRestore(iterations: readonly Iteration[]): Iteration | undefined {
  let winner: { readonly iteration: Iteration; readonly candidate: Candidate } | undefined;
  for (const iteration of iterations) {
    const candidate = candidateOf(iteration);
    if (candidate && !(winner && isStrictlyBetter(winner.candidate, candidate)))
      winner = { iteration, candidate };
  }
  return winner?.iteration ?? iterations.findLast(({ snapshot }) => snapshot);
}

/**
 * The best iteration, if it is strictly better than the files the run leaves. Going back to an equal one would discard
 * the agent's work.
 */
export function bestBeyondLast(run: Run): Best | undefined {
  const winner = findBest(run);
  const lastIteration = [run.baseline, ...run.iterations].findLast(
    ({ snapshot }) => snapshot?.tree === run.tree,
  );
  const last = candidateOf(lastIteration ?? run.iterations.at(-1) ?? run.baseline);
  if (!winner || winner.tree === run.tree) return undefined;
  return !last || isStrictlyBetter(winner, last) ? withoutCounts(winner) : undefined;
}

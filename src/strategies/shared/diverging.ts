// Detects a diverging run: below its best score for several iterations, with more tests broken than fixed.
import { best } from "#rules/best-iteration";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { iterationName } from "#text/words";
import { failingIn } from "./cycle.ts";

/** Minimum number of iterations in a row below the best. */
const MIN_ITERATIONS = 3;

function scoredIterations(run: Run): readonly Iteration[] {
  return run.iterations.filter(({ agent, score }) => agent?.ok !== false && score !== undefined);
}

/** Returns the decision to stop; undefined when the run does not diverge, or its tests have no names. */
export function divergence(run: Run): Decision | undefined {
  const bestSoFar = best(run);
  const since = scoredIterations(run).filter(({ number }) => number > (bestSoFar?.iteration ?? 0));
  const latest = since.at(-1);
  if (!bestSoFar || !latest || since.length < MIN_ITERATIONS) return undefined;
  if (since.slice(-MIN_ITERATIONS).some(({ score = 0 }) => score >= bestSoFar.score - 1e-9)) return undefined;
  const bestIteration = bestSoFar.iteration === 0 ? run.baseline : run.iterations[bestSoFar.iteration - 1];
  const [before, now] = [new Set(bestIteration ? failingIn(bestIteration) : []), new Set(failingIn(latest))];
  const broken = [...now].filter((name) => !before.has(name)).length;
  const fixed = [...before].filter((name) => !now.has(name)).length;
  if (broken <= fixed) return undefined;
  const where = iterationName(bestSoFar.iteration);
  const reason = `diverging: below the score of ${where} for ${since.length} iterations, with ${broken} more tests broken and ${fixed} fixed`;
  return { continue: false, reason, confidence: 0.8 };
}

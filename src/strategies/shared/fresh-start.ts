// Gives a run one fresh start before it ends: rolls back to its best files and starts a new agent session.
import { best } from "#rules/best-iteration";
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";
import { iterationName } from "#text/words";

/** Minimum number of remaining iterations for a fresh start. */
const MIN_LEFT = 2;

/** Number of the best iteration, unless its files equal the current ones. */
function findBetterIteration(run: Run): number | undefined {
  const [bestSoFar, latest] = [best(run), run.iterations.at(-1)];
  return bestSoFar && latest?.snapshot && bestSoFar.tree !== latest.snapshot.tree
    ? bestSoFar.iteration
    : undefined;
}

/** Replaces `end` by a fresh start, unless the run had one, is on its best files, or has too few iterations left. */
export function freshStartOr(end: Decision, run: Run, left: number): Decision {
  const hasRestarted = run.iterations.some(({ decision }) => decision?.metadata?.chance === "restarted");
  const target = hasRestarted || left < MIN_LEFT ? undefined : findBetterIteration(run);
  if (target === undefined) return end;
  const where = iterationName(target);
  return {
    continue: true,
    rollbackTo: target,
    fresh: true,
    reason: `one fresh start from ${where} before giving up: ${end.reason}`,
    confidence: end.confidence,
    feedback: `The last iterations led nowhere. The files are back at the best state there was (${where}). Start again from there, and do not repeat what was tried.`,
    metadata: { ...end.metadata, chance: "restarted" },
  };
}

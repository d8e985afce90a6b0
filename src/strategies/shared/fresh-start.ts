// One more chance before a run is given up: back to its best files for once, with a fresh mind.
import { best } from "#rules/best-iteration";
import type { Decision } from "#spec/decision";
import type { Run } from "#spec/run";

/** With fewer left, a fresh start is none. */
const LEAST = 2;

/** The best iteration, when its files are not those that are there. */
function elsewhere(run: Run): number | undefined {
  const [kept, latest] = [best(run), run.iterations.at(-1)];
  return kept && latest?.snapshot && kept.tree !== latest.snapshot.tree ? kept.iteration : undefined;
}

/** Instead of `end`, unless the run had that chance, is on its best files, or has no room for it. */
export function orAfresh(end: Decision, run: Run, left: number): Decision {
  const had = run.iterations.some(({ decision }) => decision?.metadata?.chance === "restarted");
  const back = had || left < LEAST ? undefined : elsewhere(run);
  if (back === undefined) return end;
  const where = back === 0 ? "the base" : `iteration ${back}`;
  return {
    continue: true,
    rollbackTo: back,
    fresh: true,
    reason: `one fresh start from ${where} before giving up: ${end.reason}`,
    confidence: end.confidence,
    feedback: `The last iterations led nowhere. The files are back at the best state there was (${where}). Start afresh from there, and do not repeat what was tried.`,
    metadata: { ...end.metadata, chance: "restarted" },
  };
}

// Tells whether a run gets worse and worse: below its best for some time, and breaking more tests than it mends.
import { best } from "#rules/best-iteration";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { failingIn } from "./cycle.ts";

/** Iterations in a row that must be below the best. */
const LONG = 3;

function judged(run: Run): readonly Iteration[] {
  return run.iterations.filter(({ agent, score }) => agent?.ok !== false && score !== undefined);
}

/** Undefined when it does not, or nothing names the tests. */
export function divergence(run: Run): Decision | undefined {
  const kept = best(run);
  const since = judged(run).filter(({ number }) => number > (kept?.iteration ?? 0));
  const latest = since.at(-1);
  if (!kept || !latest || since.length < LONG) return undefined;
  if (since.slice(-LONG).some(({ score = 0 }) => score >= kept.score - 1e-9)) return undefined;
  const top = kept.iteration === 0 ? run.baseline : run.iterations[kept.iteration - 1];
  const [before, now] = [new Set(top ? failingIn(top) : []), new Set(failingIn(latest))];
  const broken = [...now].filter((name) => !before.has(name)).length;
  const mended = [...before].filter((name) => !now.has(name)).length;
  if (broken <= mended) return undefined;
  const where = kept.iteration === 0 ? "the base" : `iteration ${kept.iteration}`;
  const reason = `diverging: below the score of ${where} for ${since.length} iterations, with ${broken} more tests broken and ${mended} mended`;
  return { continue: false, reason, confidence: 0.8 };
}

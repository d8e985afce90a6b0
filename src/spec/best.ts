// The iteration worth keeping: best score, then fewest failures, then earliest. The base counts as iteration 0.
import type { Iteration, Run } from "./run.ts";

function failureCount(iteration: Iteration): number {
  return iteration.verdicts.reduce(
    (sum, { verdict }) => sum + (verdict.tests?.failed ?? verdict.failures.length),
    0,
  );
}

export interface Best {
  readonly iteration: number;
  readonly tree: string;
  readonly score: number;
}

export function best(run: Run): Best | undefined {
  let found: (Best & { readonly failures: number }) | undefined;
  for (const iteration of [run.baseline, ...run.iterations]) {
    const { score, snapshot } = iteration;
    if (score === undefined || !snapshot) continue;
    const failures = failureCount(iteration);
    if (!found || score > found.score || (score === found.score && failures < found.failures))
      found = { iteration: iteration.number, tree: snapshot.tree, score, failures };
  }
  if (!found) return undefined;
  const { failures: _, ...kept } = found;
  return kept;
}

// What a strategy would have done with a run that is over: asked after each iteration, with only what was known then.
import type { Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";

/** How many of its iterations the strategy would have let the run have. */
export async function replayed(run: Run, strategy: Strategy): Promise<number> {
  const done = run.iterations.map(({ decision: _, direction: __, ...rest }) => rest);
  let then: Run = { ...run, iterations: [], state: "running" };
  for (const iteration of done) {
    then = { ...then, iterations: [...then.iterations, iteration] };
    if (then.iterations.length === done.length) break;
    const decision = await strategy(then);
    // What would have come of other files is not recorded.
    if (!decision.continue || decision.rollbackTo !== undefined) return then.iterations.length;
    then = { ...then, iterations: [...then.iterations.slice(0, -1), { ...iteration, decision }] };
  }
  return done.length;
}

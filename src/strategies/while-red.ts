// What every strategy does alike: start, and stop when the gates hold. Its own rule is asked only in between.
import type { Decision } from "#spec/decision";
import { holds } from "#spec/holds";
import type { Iteration, Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { sameSnapshots } from "./repetition.ts";

export function whileRed(rule: (run: Run, latest: Iteration) => Decision | Promise<Decision>): Strategy {
  return (run) => {
    const latest = run.iterations.at(-1);
    if (!latest) return { continue: true, reason: "nothing has been tried yet", confidence: 1 };
    if (!holds(run, latest) || untouched(run, latest)) return rule(run, latest);
    return {
      continue: false,
      reason: `all wanted gates hold after iteration ${latest.number}`,
      confidence: 1,
    };
  };
}

// Where a change is asked for, gates that were green all along prove nothing.
function untouched(run: Run, latest: Iteration): boolean {
  return run.task.requireChange && sameSnapshots(run.baseline, latest);
}

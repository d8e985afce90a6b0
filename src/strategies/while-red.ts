// What every strategy does alike: start, and stop when all that was asked for holds. Its own rule is asked only in between.
import type { Decision } from "#spec/decision";
import { succeeded } from "#spec/holds";
import type { Iteration, Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";

export function whileRed(rule: (run: Run, latest: Iteration) => Decision | Promise<Decision>): Strategy {
  return (run) => {
    const latest = run.iterations.at(-1);
    if (!latest) return { continue: true, reason: "nothing has been tried yet", confidence: 1 };
    if (!succeeded(run, latest)) return rule(run, latest);
    return { continue: false, reason: whatHolds(run, latest), confidence: 1 };
  };
}

function whatHolds({ task }: Run, { number }: Iteration): string {
  const promise = task.requirePromise ? `the agent said "<promise>${task.promise}</promise>"` : "";
  if (task.gates.length === 0) return `${promise} in iteration ${number}, and no gate is configured`;
  return `all wanted gates hold after iteration ${number}${promise && `, and ${promise}`}`;
}

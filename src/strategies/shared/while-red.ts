// Wraps a strategy so that it always starts and always stops on success; its own rule decides in between.

import { succeeded } from "#rules/success";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";

export function whileRed(rule: (run: Run, latest: Iteration) => Decision | Promise<Decision>): Strategy {
  return (run) => {
    const latest = run.iterations.at(-1);
    if (!latest) return { continue: true, reason: "nothing has been tried yet", confidence: 1 };
    if (!succeeded(run, latest)) return rule(run, latest);
    return { continue: false, reason: describeSuccess(run, latest), confidence: 1 };
  };
}

function describeSuccess({ task }: Run, { number }: Iteration): string {
  const promise = task.requirePromise ? `the agent said "<promise>${task.promise}</promise>"` : "";
  if (task.gates.length === 0) return `solved in iteration ${number}: ${promise}, and no gate is configured`;
  return `solved in iteration ${number}: all gates pass${promise && `, and ${promise}`}`;
}

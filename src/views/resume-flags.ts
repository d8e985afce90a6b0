// Computes the options to resume an ended run: those that raise the limits it has reached.
import { reachedLimit } from "#loop/limits";
import type { Run } from "#spec/run";

const HOUR_MS = 3_600_000;
const MIN_MORE = 5;
const MAX_MORE = 20;

/** Doubles the iterations, with a minimum and a maximum. */
function moreIterations({ iterations, task }: Run): number {
  const more = Math.min(MAX_MORE, Math.max(MIN_MORE, task.limits.iterations));
  return Math.max(iterations.length, task.limits.iterations) + more;
}

/** Empty when no option is needed; undefined when no option of `resume` helps. */
export function resumeFlags(run: Run): string | undefined {
  const { timeMs = 0, cost = 0, iterations } = run.task.limits;
  switch (reachedLimit(run)?.limit) {
    case "iterations":
      return `--max-iterations ${moreIterations(run)}`;
    case "time":
      return `--max-time ${Math.ceil((2 * Math.max(timeMs, run.elapsedMs)) / HOUR_MS)}h`;
    case "cost":
      return `--max-cost ${2 * cost}`;
    case "tokens":
      return undefined;
    case "agentFailures":
    case undefined:
      return run.iterations.length >= iterations ? `--max-iterations ${moreIterations(run)}` : "";
  }
}

// Maps the state of a run to an exit code. 0 means only one thing: the gates passed.
import type { Outcome } from "#spec/event";
import type { Run } from "#spec/run";

export const USAGE_ERROR = 2;
export const INTERNAL_ERROR = 5;
const WAITING = 4;
const ACCEPTED_RED = 6;
/** The gates passed, but the delivery failed. */
export const NOT_DELIVERED = 7;
/** The terminal closed (SIGHUP); the run can be resumed. */
const LEFT = 129;
/** A person stopped it before it was done. */
export const STOPPED = 130;

const OUTCOMES: Readonly<Record<Outcome, number>> = {
  converged: 0,
  diverged: 1,
  blocked: 3,
  error: 5,
  stopped: STOPPED,
};

export function exitCodeOf(run: Run): number {
  if (run.ended?.partial) return ACCEPTED_RED;
  if (run.ended?.outcome === "converged" && run.delivered?.problem !== undefined) return NOT_DELIVERED;
  if (run.ended) return OUTCOMES[run.ended.outcome];
  return run.state === "running" ? LEFT : WAITING;
}

/** For the help of commands that drive a run. */
export const RUN_EXIT_CODES = `0 converged, 1 diverged, 2 usage or config error, 3 blocked, 4 waiting for a person or paused,
            5 error, 6 accepted with a failing gate, 7 converged but not delivered, 130 stopped`;

// The contract of a step, and how a step waits.
import type { EventBody } from "#spec/event";
import type { Ports } from "#spec/ports";
import type { Iteration, Run } from "#spec/run";
import { timeIsUp } from "./limits.ts";

/** What every step needs: the run so far, the outside world, and the signal that interrupts the step. */
export interface StepContext {
  readonly run: Run;
  readonly ports: Ports;
  readonly signal: AbortSignal;
}

/** For the parts of a step that work on one iteration; the baseline is iteration 0. */
export interface IterationContext extends StepContext {
  readonly iteration: Iteration;
}

/** A stateless generator of events. */
export type Step = (context: StepContext) => AsyncIterable<EventBody>;

const INBOX_POLL_MS = 1_000;

/** The signal, combined with a timeout at the run's time limit. */
export function withTimeLimit({ run, ports, signal }: StepContext): AbortSignal {
  const { timeMs } = run.task.limits;
  if (timeMs === undefined) return signal;
  const left = Math.min(2 ** 31 - 1, Math.max(0, Math.ceil(timeMs - ports.elapsed())));
  return AbortSignal.any([signal, AbortSignal.timeout(left)]);
}

/** Sleeps for `ms`; false when a command, an abort or the run's time limit comes first. */
export async function sleepUndisturbed(ms: number, { run, ports, signal }: StepContext): Promise<boolean> {
  const until = ports.elapsed() + ms;
  while (ports.elapsed() < until) {
    await ports.sleep(Math.min(INBOX_POLL_MS, until - ports.elapsed()), signal);
    if (signal.aborted || timeIsUp(run, ports.elapsed())) return false;
    if ((await ports.inbox(run.inbox)).length > 0) return false;
  }
  return true;
}

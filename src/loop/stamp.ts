// Stamps an event body with the next sequence number, the wall clock and the elapsed time.

import { best } from "#rules/best-iteration";
import { isSuccess } from "#rules/success";
import { EVENT_VERSION, type EventBody, type Outcome, type RunEvent } from "#spec/event";
import type { Run } from "#spec/run";

export interface Moment {
  readonly time: string;
  readonly elapsedMs: number;
}

export function stamp(run: Pick<Run, "id" | "seq">, body: EventBody, { time, elapsedMs }: Moment): RunEvent {
  return { v: EVENT_VERSION, run: run.id, seq: run.seq + 1, time, elapsedMs: Math.round(elapsedMs), ...body };
}

export type Ending = Extract<EventBody, { type: "run.ended" }>;

/** The run's last event, with its best iteration and final tree. */
export function ending(run: Run, outcome: Outcome, reason: string): Ending {
  const last = run.iterations.at(-1) ?? run.baseline;
  const bestIteration = best(run);
  return {
    type: "run.ended",
    outcome,
    reason,
    iterations: run.iterations.length,
    partial: outcome === "converged" && run.task.gates.length > 0 && !isSuccess(run, last),
    ...(bestIteration && { best: bestIteration }),
    ...(run.tree && { tree: run.tree }),
  };
}

// The place of a run in a trace. Ids are made from the run and its steps, so that every process which drives the run
// means the same trace, and a span that is sent again is the same span.
import { createHash } from "node:crypto";
import type { Run } from "#spec/run";

export interface Trace {
  readonly id: string;
  /** The span around the run's own. */
  readonly parent?: string;
  /** Whoever began the trace may have chosen not to keep it. */
  readonly isKept: boolean;
}

const short = (text: string, digits: number) =>
  createHash("sha256").update(text).digest("hex").slice(0, digits);

export function traceOf({ id, traceparent }: Pick<Run, "id" | "traceparent">): Trace {
  const [, trace, parent, flags] = traceparent?.split("-") ?? [];
  if (!trace || !parent) return { id: short(`converge trace ${id}`, 32), isKept: true };
  return { id: trace, parent, isKept: (Number.parseInt(flags ?? "1", 16) & 1) === 1 };
}

export const runSpan = (run: string): string => short(`converge run ${run}`, 16);

export const iterationSpan = (run: string, iteration: number): string =>
  short(`converge iteration ${run} ${iteration}`, 16);

/** What is done after the event `seq`, until the next one is recorded. */
export const stepSpan = (run: string, seq: number): string => short(`converge step ${run} ${seq}`, 16);

/** What the processes of the step that the run is at are told. */
export function traceparentOf(run: Pick<Run, "id" | "seq" | "traceparent">): string {
  const { id, isKept } = traceOf(run);
  return `00-${id}-${stepSpan(run.id, run.seq)}-${isKept ? "01" : "00"}`;
}

// Computes trace and span ids. They are hashes of the run and its steps, so every process that drives the run uses the
// same trace, and a span that is sent twice has the same id.
import { createHash } from "node:crypto";
import type { Run } from "#spec/run";

export interface Trace {
  readonly id: string;
  /** The parent span of the run's own. */
  readonly parent?: string;
  /** False when the outer trace is not sampled. */
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

/** The span from event `seq` to the next event. */
export const stepSpan = (run: string, seq: number): string => short(`converge step ${run} ${seq}`, 16);

/** The TRACEPARENT for the processes of the current step. */
export function traceparentOf(run: Pick<Run, "id" | "seq" | "traceparent">): string {
  const { id, isKept } = traceOf(run);
  return `00-${id}-${stepSpan(run.id, run.seq)}-${isKept ? "01" : "00"}`;
}

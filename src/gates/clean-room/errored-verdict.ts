// The verdict when a gate was not run or its result does not count.
import type { Evidence, Verdict } from "#spec/verdict";

export interface Particulars {
  /** Additional text below the summary. */
  readonly details?: string;
  readonly evidence?: Evidence;
  readonly durationMs?: number;
}

export function errored(
  summary: string,
  { details, evidence = {}, durationMs = 0 }: Particulars = {},
): Verdict {
  const message = details ? `${summary}\n${details}` : summary;
  return {
    status: "errored",
    score: 0,
    summary,
    failures: [{ message }],
    evidence,
    durationMs: Math.round(durationMs),
  };
}

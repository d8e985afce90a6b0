// The verdict of a gate that was not asked, or whose answer does not count.
import type { Evidence, Verdict } from "#spec/verdict";

export interface Particulars {
  /** More words for people and agents, below the summary. */
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

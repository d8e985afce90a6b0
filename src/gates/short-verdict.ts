// Builds a verdict from a few facts, for gates that run no command.
import type { Verdict, VerdictStatus } from "#spec/verdict";

export function shortVerdict(
  status: VerdictStatus,
  summary: string,
  more: Partial<Omit<Verdict, "status" | "summary">> = {},
): Verdict {
  const score = status === "passed" ? 1 : 0;
  return { status, score, summary, failures: [], evidence: {}, durationMs: 0, ...more };
}

/** A failed verdict with a single failure. */
export function failed(summary: string, message = summary, score = 0): Verdict {
  return shortVerdict("failed", summary, { score, failures: [{ message }] });
}

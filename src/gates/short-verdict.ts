// A verdict from the few facts that matter, for gates that run no command of their own.
import type { Verdict, VerdictStatus } from "#spec/verdict";

export function shortVerdict(
  status: VerdictStatus,
  summary: string,
  more: Partial<Omit<Verdict, "status" | "summary">> = {},
): Verdict {
  const score = status === "passed" ? 1 : 0;
  return { status, score, summary, failures: [], evidence: {}, durationMs: 0, ...more };
}

/** Failed for one reason, which is all there is to say. */
export function failed(summary: string, message = summary, score = 0): Verdict {
  return shortVerdict("failed", summary, { score, failures: [{ message }] });
}

// Sums what agents, judges and summarizers used.
import type { Usage } from "#spec/agent";

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens", "costUsd"] as const;

/** Sums each count over those that report it. A count that nobody reported stays absent; it is never zero. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sums: { -readonly [Count in keyof Usage]: Usage[Count] } = {};
  for (const usage of usages)
    for (const count of COUNTS) {
      const value = usage[count];
      if (value !== undefined) sums[count] = (sums[count] ?? 0) + value;
    }
  return sums;
}

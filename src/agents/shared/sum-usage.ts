// Sums usage over messages, steps or calls. Counts that nobody knows stay absent.
import type { Usage } from "#spec/agent";

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens", "costUsd"] as const;

export function sumUsage(usages: readonly Usage[]): Usage {
  const countsByName = COUNTS.map((name) => [name, usages.flatMap((usage) => usage[name] ?? [])] as const);
  const known = countsByName.filter(([, counts]) => counts.length > 0);
  return Object.fromEntries(known.map(([name, counts]) => [name, counts.reduce((a, b) => a + b, 0)]));
}

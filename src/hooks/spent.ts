// Sums the usage of a turn's messages, and finds their model.
import type { Usage } from "#spec/agent";

interface MessageUsage {
  readonly usage?: Usage;
  readonly model?: string;
}

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens", "costUsd"] as const;

/** Sums known counts; unknown ones stay absent. */
function sum(usages: readonly Usage[]): Usage {
  const countsByName = COUNTS.map((name) => [name, usages.flatMap((usage) => usage[name] ?? [])] as const);
  const sums = countsByName.filter(([, counts]) => counts.length > 0);
  return Object.fromEntries(sums.map(([name, counts]) => [name, counts.reduce((a, b) => a + b, 0)]));
}

export function sumUsage(messages: readonly MessageUsage[]): MessageUsage {
  const usages = messages.flatMap(({ usage }) => usage ?? []);
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return { ...(usages.length > 0 && { usage: sum(usages) }), ...(model !== undefined && { model }) };
}

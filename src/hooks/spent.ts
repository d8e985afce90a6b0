// What the messages of a turn cost together, and which model wrote them.
import type { Usage } from "#spec/agent";

interface Spent {
  readonly usage?: Usage;
  readonly model?: string;
}

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens", "costUsd"] as const;

/** What nobody told stays absent. */
function sum(usages: readonly Usage[]): Usage {
  const told = COUNTS.map((name) => [name, usages.flatMap((usage) => usage[name] ?? [])] as const);
  const sums = told.filter(([, counts]) => counts.length > 0);
  return Object.fromEntries(sums.map(([name, counts]) => [name, counts.reduce((a, b) => a + b, 0)]));
}

export function spentIn(messages: readonly Spent[]): Spent {
  const usages = messages.flatMap(({ usage }) => usage ?? []);
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return { ...(usages.length > 0 && { usage: sum(usages) }), ...(model !== undefined && { model }) };
}

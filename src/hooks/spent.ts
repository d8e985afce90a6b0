// Sums the usage of a turn's messages, and finds their model.

import { sumUsage } from "#rules/usage";
import type { Usage } from "#spec/agent";

interface MessageUsage {
  readonly usage?: Usage;
  readonly model?: string;
}

export function sumMessages(messages: readonly MessageUsage[]): MessageUsage {
  const usages = messages.flatMap(({ usage }) => usage ?? []);
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return { ...(usages.length > 0 && { usage: sumUsage(usages) }), ...(model !== undefined && { model }) };
}

// Reads a host's conversation since a mark.
import { sumUsage } from "#rules/usage";
import type { SessionMessage } from "./host.ts";

/** The assistant's messages and usage since the mark, or since the last prompt when the conversation was truncated. */
export function answersSince(messages: readonly SessionMessage[], mark: number) {
  const lastPrompt = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(messages.length < mark ? lastPrompt + 1 : mark);
  const own = since.filter(({ role }) => role === "assistant");
  const usages = own.flatMap(({ usage }) => usage ?? []);
  const model = own.findLast((message) => message.model !== undefined)?.model;
  return {
    message: own.map(({ content }) => content ?? "").join("\n\n"),
    ...(usages.length > 0 && { usage: sumUsage(usages) }),
    ...(model !== undefined && { model }),
  };
}

/** True when the user has sent a message since the mark. */
export function hasUserMessageSince(messages: readonly SessionMessage[], mark: number): boolean {
  return messages.slice(mark).some(({ role }) => role === "user");
}

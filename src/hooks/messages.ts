// Reads a host's conversation: what was said since a mark.
import type { SessionMessage } from "./host.ts";
import { sumMessages } from "./spent.ts";

/** The assistant's messages and usage since the mark, or since the last prompt when the conversation was truncated. */
export function answersSince(messages: readonly SessionMessage[], mark: number) {
  const lastPrompt = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(messages.length < mark ? lastPrompt + 1 : mark);
  const own = since.filter(({ role }) => role === "assistant");
  return { message: own.map(({ content }) => content ?? "").join("\n\n"), ...sumMessages(own) };
}

/** True when the user has sent a message since the mark. */
export function hasUserMessageSince(messages: readonly SessionMessage[], mark: number): boolean {
  return messages.slice(mark).some(({ role }) => role === "user");
}

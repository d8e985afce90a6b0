// The conversation as a host gives it: who has said what since when.
import type { SessionMessage } from "./host.ts";

/** What the assistant itself said since; when the conversation has been cut, since the last word to it. */
export function saidSince(messages: readonly SessionMessage[], mark: number): string {
  const lastAsked = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(messages.length < mark ? lastAsked + 1 : mark);
  return since
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => content ?? "")
    .join("\n\n");
}

/** Somebody has said something to the session since. */
export function spokenToSince(messages: readonly SessionMessage[], mark: number): boolean {
  return messages.slice(mark).some(({ role }) => role === "user");
}

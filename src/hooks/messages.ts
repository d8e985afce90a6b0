// The conversation as a host gives it: who has said what since when.
import type { SessionMessage } from "./host.ts";
import { spentIn } from "./spent.ts";

/** What the assistant itself said since, and at what cost; when the conversation has been cut, since the last word to it. */
export function heardSince(messages: readonly SessionMessage[], mark: number) {
  const lastAsked = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(messages.length < mark ? lastAsked + 1 : mark);
  const own = since.filter(({ role }) => role === "assistant");
  return { message: own.map(({ content }) => content ?? "").join("\n\n"), ...spentIn(own) };
}

/** Somebody has said something to the session since. */
export function spokenToSince(messages: readonly SessionMessage[], mark: number): boolean {
  return messages.slice(mark).some(({ role }) => role === "user");
}

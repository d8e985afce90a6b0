// Compares iterations by their files and by the agent's messages.
import type { Iteration } from "#spec/run";
import { normalise } from "#text/normalise";

export function sameSnapshots(one: Iteration | undefined, other: Iteration | undefined): boolean {
  return one?.snapshot !== undefined && one.snapshot.tree === other?.snapshot?.tree;
}

/** True when each of the last `windowSize` messages (at least two) is similar to the one before. */
export function messagesRepeat(
  iterations: readonly Iteration[],
  windowSize: number,
  minSimilarity: number,
): boolean {
  const size = Math.max(2, windowSize);
  const messages = iterations.slice(-size).map((iteration) => iteration.agent?.message ?? "");
  if (messages.length < size || messages.some((message) => message.trim() === "")) return false;
  return messages
    .slice(1)
    .every((message, index) => similarity(messages[index] ?? "", message) >= minSimilarity);
}

/** Jaccard similarity of the lower-cased words, 0..1, after normalising times and numbers. 0 for empty texts. */
export function similarity(one: string, other: string): number {
  const [mine, theirs] = [tokens(one), tokens(other)];
  const shared = [...mine].filter((token) => theirs.has(token)).length;
  const all = mine.size + theirs.size - shared;
  return all === 0 ? 0 : shared / all;
}

function tokens(text: string): ReadonlySet<string> {
  return new Set(normalise(text).toLowerCase().match(/\S+/g));
}

// Tells whether a run goes round in circles: by what it left behind, and by what the agent says.
import type { Iteration } from "#spec/run";
import { stable } from "#spec/stable";
import { type Circle, inWords } from "./circle.ts";
import { failingIn } from "./cycle.ts";

/** Content hashes that are looked at, and how many equal ones make a loop. */
const KEPT = 5;
const EQUAL = 3;

export function sameSnapshots(one: Iteration | undefined, other: Iteration | undefined): boolean {
  return one?.snapshot !== undefined && one.snapshot.tree === other?.snapshot?.tree;
}

/** The loop that the latest iteration closes, if it closes one. */
export async function findLoop(iterations: readonly Iteration[]): Promise<Circle | undefined> {
  const recent = iterations.slice(-KEPT);
  const hashes = await Promise.all(recent.map(contentHash));
  const hash = hashes.at(-1);
  if (hash === undefined) return undefined;
  const equal = recent.filter((_, index) => hashes[index] === hash).map(({ number }) => number);
  const failing = failingIn(recent.at(-1) as Iteration);
  if (equal.length >= EQUAL)
    return { what: `iterations ${inWords(equal)} left the same files and the same verdicts`, failing, hash };
  if (!oscillates(hashes.slice(-4))) return undefined;
  const turns = inWords(recent.slice(-4).map(({ number }) => number));
  return { what: `iterations ${turns} go back and forth between the same two states`, failing, hash };
}

function oscillates([a, b, c, d]: readonly (string | undefined)[]): boolean {
  return a !== undefined && b !== undefined && a !== b && a === c && b === d;
}

// What was hashed for one decision is asked for again by the next.
const hashed = new WeakMap<
  Iteration["verdicts"],
  { readonly tree: string; readonly hash: Promise<string> }
>();

// A failed agent had no chance to change anything, and a missing snapshot proves nothing: neither can close a loop.
async function contentHash({ snapshot, agent, verdicts }: Iteration): Promise<string | undefined> {
  if (snapshot === undefined || agent?.ok === false) return undefined;
  const { tree } = snapshot;
  const known = hashed.get(verdicts);
  if (known?.tree === tree) return known.hash;
  const judged = verdicts.map(({ gate, verdict }) => JSON.stringify([gate, verdict.status, verdict.score]));
  const hash = sha256(JSON.stringify([tree, judged.sort()]));
  hashed.set(verdicts, { tree, hash });
  return hash;
}

async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether the last `windowSize` messages (at least two) are each as good as the one before. */
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

/** Jaccard similarity of the lower-cased words, 0..1, whenever they were said. Saying nothing resembles nothing. */
export function similarity(one: string, other: string): number {
  const [mine, theirs] = [tokens(one), tokens(other)];
  const shared = [...mine].filter((token) => theirs.has(token)).length;
  const all = mine.size + theirs.size - shared;
  return all === 0 ? 0 : shared / all;
}

function tokens(text: string): ReadonlySet<string> {
  return new Set(stable(text).toLowerCase().match(/\S+/g));
}

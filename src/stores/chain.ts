// Hash chain: each stored entry carries a hash over its predecessor's hash and its own body, so any edit is detected.
import { createHash } from "node:crypto";

/** An entry as stored, not yet verified: others can write to the store. */
export interface Entry {
  readonly seq: number;
  readonly body: string;
  readonly hash: string;
}

/** A position in a hash chain. */
export interface Point {
  readonly seq: number;
  readonly hash: string;
}

export function link(before: string, body: string): string {
  return createHash("sha256").update(before).update(body).digest("hex");
}

/** The start of a run's chain; derived from the run id, so that entries of another run do not fit. */
export function origin(run: string): Point {
  return { seq: 0, hash: link("", run) };
}

/** Verifies the entries. Returns the end of the chain, or the number of the first entry that does not follow. */
export function follow(from: Point, entries: readonly Entry[]): Point | number {
  let at = from;
  for (const { seq, body, hash } of entries) {
    const follows = seq === at.seq + 1 && typeof body === "string" && hash === link(at.hash, body);
    if (!follows) return at.seq + 1;
    at = { seq, hash };
  }
  return at;
}

/** Serialises the values as entries that continue the chain after `from`. */
export function chainEntries(from: Point, values: readonly unknown[]): readonly Entry[] {
  let at = from;
  return values.map((value) => {
    const body = JSON.stringify(value);
    at = { seq: at.seq + 1, hash: link(at.hash, body) };
    return { ...at, body };
  });
}

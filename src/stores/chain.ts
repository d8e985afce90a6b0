// Each stored entry carries a hash over the one before it and itself: changing, removing, inserting or moving one shows.
import { createHash } from "node:crypto";

/** An entry as it stands in the store, which others can write to: nothing about it is certain yet. */
export interface Entry {
  readonly seq: number;
  readonly body: string;
  readonly hash: string;
}

/** How far a chain has been followed. */
export interface Point {
  readonly seq: number;
  readonly hash: string;
}

export function link(before: string, body: string): string {
  return createHash("sha256").update(before).update(body).digest("hex");
}

/** What the first entry of a run follows; another run's entries do not follow from it. */
export function origin(run: string): Point {
  return { seq: 0, hash: link("", run) };
}

/** The point that the entries lead to, or the number of the first one that does not follow from what is before it. */
export function follow(from: Point, entries: readonly Entry[]): Point | number {
  let at = from;
  for (const { seq, body, hash } of entries) {
    const follows = seq === at.seq + 1 && typeof body === "string" && hash === link(at.hash, body);
    if (!follows) return at.seq + 1;
    at = { seq, hash };
  }
  return at;
}

/** The values as entries that follow from the point. */
export function chained(from: Point, values: readonly unknown[]): readonly Entry[] {
  let at = from;
  return values.map((value) => {
    const body = JSON.stringify(value);
    at = { seq: at.seq + 1, hash: link(at.hash, body) };
    return { ...at, body };
  });
}

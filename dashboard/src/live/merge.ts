// What is known of a run, brought up to date with an answer that holds only its newest iterations.
import type { Overview } from "#spec/overview";

/** The iteration from which on an answer is needed: the last one that is known may still change. */
export function lastKnown({ rows }: Overview): number {
  return rows.at(-1)?.number ?? 0;
}

/** `next` has the rows and spans from iteration `after` on, and everything else whole. */
export function merge(known: Overview, next: Overview, after: number): Overview {
  // An answer that was overtaken by a newer one.
  if (next.seq < known.seq) return known;
  return {
    ...next,
    rows: [...known.rows.filter(({ number }) => number < after), ...next.rows],
    spans: [...known.spans.filter(({ iteration }) => iteration < after), ...next.spans],
  };
}

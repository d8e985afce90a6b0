// Merges an overview that contains only the newest iterations into the known one.
import type { Overview } from "#spec/overview";

/** The iteration to fetch from: the last known one may still change. */
export function lastKnown({ rows }: Overview): number {
  return rows.at(-1)?.number ?? 0;
}

/** `next` has only the rows and spans from iteration `after` on; everything else is complete. */
export function merge(known: Overview, next: Overview, after: number): Overview {
  // An older answer that arrived late.
  if (next.seq < known.seq) return known;
  return {
    ...next,
    rows: [...known.rows.filter(({ number }) => number < after), ...next.rows],
    spans: [...known.spans.filter(({ iteration }) => iteration < after), ...next.spans],
  };
}

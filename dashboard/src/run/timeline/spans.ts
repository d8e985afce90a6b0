// Spans as numbers: their place in time, and totals by kind.
import type { Span } from "#spec/overview";
import type { Stretch } from "./stretch.ts";

export interface Placed extends Stretch {
  readonly span: Span;
}

/** An open span ends now. */
export function placed(spans: readonly Span[], now: number): readonly Placed[] {
  return spans.map((span) => {
    const from = Date.parse(span.from);
    return { span, from, to: Math.max(from, span.to === undefined ? now : Date.parse(span.to)) };
  });
}

export function wholeOf(all: readonly Placed[]): Stretch {
  const from = all[0]?.from ?? 0;
  return { from, to: Math.max(from + 1, all.at(-1)?.to ?? 0) };
}

/** Total time by kind, longest first. */
export function totals(all: readonly Placed[]): readonly (readonly [Span["kind"], number])[] {
  const sums = new Map<Span["kind"], number>();
  for (const { span, from, to } of all) sums.set(span.kind, (sums.get(span.kind) ?? 0) + to - from);
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** The first span that ends after a moment, by binary search. */
export function spanAt(all: readonly Placed[], moment: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.to ?? 0) > moment) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The stretch of time that is looked at, and what zooming and moving make of it.

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const SHORTEST_MS = 50;

/** Kept inside the whole. */
function inside({ from, to }: Stretch, whole: Stretch): Stretch {
  const length = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}

/** `factor` below 1 looks closer; the moment `at` stays where it is. */
export function zoomed(stretch: Stretch, factor: number, at: number, whole: Stretch): Stretch {
  const length = Math.max(SHORTEST_MS, (stretch.to - stretch.from) * factor);
  const share = (at - stretch.from) / Math.max(1, stretch.to - stretch.from);
  const from = at - share * length;
  return inside({ from, to: from + length }, whole);
}

/** By a share of what is looked at. */
export function moved(stretch: Stretch, share: number, whole: Stretch): Stretch {
  const by = (stretch.to - stretch.from) * share;
  return inside({ from: stretch.from + by, to: stretch.to + by }, whole);
}

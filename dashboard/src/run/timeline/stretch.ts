// The visible stretch of time, zoomed and moved within the whole.

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const SHORTEST_MS = 50;

/** Clamps a stretch to the whole. */
function inside({ from, to }: Stretch, whole: Stretch): Stretch {
  const length = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}

export interface Zoom {
  /** Below 1 to zoom in. */
  readonly factor: number;
  /** The moment that stays in place. */
  readonly at: number;
}

/** The middle of a stretch. */
export const middleOf = ({ from, to }: Stretch): number => (from + to) / 2;

export function zoomed(stretch: Stretch, { factor, at }: Zoom, whole: Stretch): Stretch {
  const length = Math.max(SHORTEST_MS, (stretch.to - stretch.from) * factor);
  const share = (at - stretch.from) / Math.max(1, stretch.to - stretch.from);
  const from = at - share * length;
  return inside({ from, to: from + length }, whole);
}

/** Moves by a share of the visible stretch. */
export function moved(stretch: Stretch, share: number, whole: Stretch): Stretch {
  const by = (stretch.to - stretch.from) * share;
  return inside({ from: stretch.from + by, to: stretch.to + by }, whole);
}

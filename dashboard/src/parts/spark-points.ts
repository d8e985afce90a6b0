// Coordinates of a sparkline: from left to right, 0 at the bottom and 1 at the top.

const EDGE = 3;

export function sparkPoints(scores: readonly number[], width: number, height: number): [number, number][] {
  const step = scores.length > 1 ? (width - 2 * EDGE) / (scores.length - 1) : 0;
  const round = (value: number) => Math.round(value * 10) / 10;
  return scores.map((score, at) => {
    const inside = Math.min(1, Math.max(0, score));
    return [round(EDGE + at * step), round(EDGE + (1 - inside) * (height - 2 * EDGE))];
  });
}

// The few numbers that tell how far results can be believed. Pure.
import type { Told } from "./replay.ts";

/** Normal deviations that 95 of 100 lie within. */
const Z = 1.959964;

/** Where a share that was seen `count` times among `all` may really lie, with 95 % (Wilson). Nothing seen tells nothing. */
export function wilson(count: number, all: number): readonly [number, number] {
  if (all <= 0) return [0, 1];
  const [share, square] = [count / all, Z * Z];
  const middle = (share + square / (2 * all)) / (1 + square / all);
  const reach = (Z / (1 + square / all)) * Math.sqrt((share * (1 - share)) / all + square / (4 * all * all));
  return [Math.max(0, middle - reach), Math.min(1, middle + reach)];
}

export interface Bin {
  /** Mean of the chances told, the share that came true, and how many. */
  readonly told: number;
  readonly came: number;
  readonly count: number;
}

const BINS = 10;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const cameTrue = (told: readonly Told[]): number => mean(told.map(({ passed }) => Number(passed)));

/** Ten bins with as many chances each: most chances are small, and equal widths would put them all into one. */
export function calibration(told: readonly Told[]): readonly Bin[] {
  const sorted = told.toSorted((one, other) => one.chance - other.chance);
  return Array.from({ length: BINS }, (_, at) =>
    sorted.slice(Math.floor((at * sorted.length) / BINS), Math.floor(((at + 1) * sorted.length) / BINS)),
  )
    .filter((bin) => bin.length > 0)
    .map((bin) => ({
      told: mean(bin.map(({ chance }) => chance)),
      came: cameTrue(bin),
      count: bin.length,
    }));
}

/** Expected calibration error: how far chances are off on average, over ten bins of equal width. */
export function calibrationError(told: readonly Told[]): number | undefined {
  if (told.length === 0) return undefined;
  const bins = new Map<number, Told[]>();
  for (const one of told) {
    const at = Math.min(BINS - 1, Math.floor(one.chance * BINS));
    const bin = bins.get(at);
    if (bin) bin.push(one);
    else bins.set(at, [one]);
  }
  const offs = [...bins.values()].map(
    (bin) => bin.length * Math.abs(mean(bin.map(({ chance }) => chance)) - cameTrue(bin)),
  );
  return offs.reduce((sum, off) => sum + off, 0) / told.length;
}

/** How much better than always telling the base rate: 1 is perfect, 0 no better. Undefined where all or none came true. */
export function brierSkill(told: readonly Told[]): number | undefined {
  const rate = cameTrue(told);
  if (told.length === 0 || rate === 0 || rate === 1) return undefined;
  const error = mean(told.map(({ chance, passed }) => (chance - Number(passed)) ** 2));
  return 1 - error / (rate * (1 - rate));
}

/** Numbers in [0, 1), the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(all: readonly T[], seed: number): readonly T[] {
  const [mixed, random] = [[...all], randomFrom(seed)];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}

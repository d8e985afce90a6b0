// Statistics for a backtest: confidence intervals, calibration, seeded shuffle. Pure.
import type { Prediction } from "./replay.ts";

/** The z-value of a 95 % interval. */
const Z = 1.959964;

/** Wilson 95 % interval for a share of `count` among `all`; [0, 1] without observations. */
export function wilson(count: number, all: number): readonly [number, number] {
  if (all <= 0) return [0, 1];
  const [share, square] = [count / all, Z * Z];
  const middle = (share + square / (2 * all)) / (1 + square / all);
  const halfWidth =
    (Z / (1 + square / all)) * Math.sqrt((share * (1 - share)) / all + square / (4 * all * all));
  return [Math.max(0, middle - halfWidth), Math.min(1, middle + halfWidth)];
}

export interface Bin {
  /** Mean predicted chance, share that passed, and number of predictions. */
  readonly told: number;
  readonly came: number;
  readonly count: number;
}

const BINS = 10;
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const passRate = (predictions: readonly Prediction[]): number =>
  mean(predictions.map(({ passed }) => Number(passed)));

/** Ten bins of equal count: most chances are small, and bins of equal width would put them all into one. */
export function calibration(predictions: readonly Prediction[]): readonly Bin[] {
  const sorted = predictions.toSorted((one, other) => one.chance - other.chance);
  return Array.from({ length: BINS }, (_, at) =>
    sorted.slice(Math.floor((at * sorted.length) / BINS), Math.floor(((at + 1) * sorted.length) / BINS)),
  )
    .filter((bin) => bin.length > 0)
    .map((bin) => ({
      told: mean(bin.map(({ chance }) => chance)),
      came: passRate(bin),
      count: bin.length,
    }));
}

/** Expected calibration error over ten bins of equal width. */
export function calibrationError(predictions: readonly Prediction[]): number | undefined {
  if (predictions.length === 0) return undefined;
  const bins = new Map<number, Prediction[]>();
  for (const one of predictions) {
    const at = Math.min(BINS - 1, Math.floor(one.chance * BINS));
    const bin = bins.get(at);
    if (bin) bin.push(one);
    else bins.set(at, [one]);
  }
  const errors = [...bins.values()].map(
    (bin) => bin.length * Math.abs(mean(bin.map(({ chance }) => chance)) - passRate(bin)),
  );
  return errors.reduce((sum, error) => sum + error, 0) / predictions.length;
}

/** Brier skill against the base rate: 1 is perfect, 0 no better. Undefined when all or none passed. */
export function brierSkill(predictions: readonly Prediction[]): number | undefined {
  const rate = passRate(predictions);
  if (predictions.length === 0 || rate === 0 || rate === 1) return undefined;
  const error = mean(predictions.map(({ chance, passed }) => (chance - Number(passed)) ** 2));
  return 1 - error / (rate * (1 - rate));
}

/** Seeded random numbers in [0, 1). */
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

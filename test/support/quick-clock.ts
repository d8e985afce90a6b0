// Fake clock: sleeping returns at once and advances the time.
import type { Clock } from "#system/clock";

export interface QuickClock extends Clock {
  /** The sleeps so far, in milliseconds. */
  readonly slept: readonly number[];
}

export function quickClock(began = "2026-01-01T00:00:00.000Z"): QuickClock {
  const slept: number[] = [];
  let passed = 0;
  return {
    slept,
    now: () => new Date(Date.parse(began) + passed).toISOString(),
    monotonic: () => passed,
    sleep: async (ms) => {
      slept.push(ms);
      passed += ms;
    },
  };
}

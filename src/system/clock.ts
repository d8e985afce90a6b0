// Clock: wall-clock time for people, monotonic time for timeouts.

export interface Clock {
  /** ISO wall-clock time. */
  now(): string;
  /** Milliseconds of a monotonic clock. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The longest delay of a Node timer: a longer one overflows and fires at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted || ms <= 0) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER));
      signal.addEventListener("abort", done);
    }),
};

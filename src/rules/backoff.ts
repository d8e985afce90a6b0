// Exponential backoff: how long to wait before the next retry.

export interface Backoff {
  /** Delay before the first retry. */
  readonly firstMs: number;
  /** Upper limit of the delay. */
  readonly maxMs: number;
  /** Growth per retry. Defaults to 2. */
  readonly factor?: number;
  /** Share of the delay, 0 to 1, that is random, so that clients that failed together do not retry together. */
  readonly jitter?: number;
}

/** The delay before a retry; `retries` counts the retries before it, from 0. */
export function backoffMs(retries: number, backoff: Backoff, random: () => number = Math.random): number {
  const { firstMs, maxMs, factor = 2, jitter = 0 } = backoff;
  const delay = Math.min(maxMs, firstMs * factor ** retries);
  return jitter === 0 ? delay : delay * (1 - jitter * random());
}

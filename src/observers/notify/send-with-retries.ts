// Sends a notification with retries: exponential backoff with jitter, until it is accepted, rejected or the tries are used up.
import type { Clock } from "#system/clock";
import type { Posted } from "#system/http-post";
import { attemptDelivery, type Delivery, type DeliveryTools } from "./message.ts";

export interface RetryPolicy {
  readonly tries: number;
  readonly clock: Pick<Clock, "sleep">;
}

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** When Retry-After asks for more, the next process retries. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** Jitter between half and all of the backoff, so that clients that failed together do not retry together. */
function backoffMs(tryNumber: number): number {
  const pause = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tryNumber - 1));
  return pause * (0.5 + Math.random() / 2);
}

/** Returns the result of the last attempt. Never rejects. */
export async function sendWithRetries(
  delivery: Delivery,
  tools: DeliveryTools,
  { tries, clock }: RetryPolicy,
): Promise<Posted> {
  for (let number = 1; ; number++) {
    const posted = await attemptDelivery(delivery, tools);
    if (posted.ok || posted.again !== "soon" || number >= tries) return posted;
    const { afterMs = 0 } = posted;
    if (afterMs > MAX_RETRY_AFTER_MS) return posted;
    await clock.sleep(Math.max(afterMs, backoffMs(number)), tools.signal);
    if (tools.signal.aborted) return posted;
  }
}

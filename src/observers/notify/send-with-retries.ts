// Sends a notification with retries: exponential backoff with jitter, until it is accepted, rejected or the tries are used up.

import { backoffMs } from "#rules/backoff";
import type { Clock } from "#system/clock";
import type { Posted } from "#system/http-post";
import { attemptDelivery, type Delivery, type DeliveryTools } from "./message.ts";

export interface RetryPolicy {
  readonly tries: number;
  readonly clock: Pick<Clock, "sleep">;
}

const BACKOFF = { firstMs: 500, maxMs: 30_000, jitter: 0.5 };
/** When Retry-After asks for more, the next process retries. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

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
    await clock.sleep(Math.max(afterMs, backoffMs(number - 1, BACKOFF)), tools.signal);
    if (tools.signal.aborted) return posted;
  }
}

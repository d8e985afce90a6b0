// Tries to deliver a message until it is taken, refused, or time is up: longer pauses each time, never two the same.
import type { Clock } from "#system/clock";
import type { Posted } from "#system/http-post";
import { type Delivery, type Means, tryDelivery } from "./message.ts";

export interface Patience {
  readonly tries: number;
  readonly clock: Pick<Clock, "sleep">;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Who wants us to stay away for longer is asked again by the next process. */
const LONGEST_WAIT_MS = 5 * 60_000;

/** Between half of it and all of it, so that many who failed together do not come back together. */
function pauseBefore(tryNumber: number): number {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tryNumber - 1));
  return pause * (0.5 + Math.random() / 2);
}

/** Never rejects. What the last try came to. */
export async function deliver(delivery: Delivery, means: Means, { tries, clock }: Patience): Promise<Posted> {
  for (let number = 1; ; number++) {
    const posted = await tryDelivery(delivery, means);
    if (posted.ok || posted.again !== "soon" || number >= tries) return posted;
    const { afterMs = 0 } = posted;
    if (afterMs > LONGEST_WAIT_MS) return posted;
    await clock.sleep(Math.max(afterMs, pauseBefore(number)), means.signal);
    if (means.signal.aborted) return posted;
  }
}

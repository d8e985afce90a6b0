// Waits in tests: polls a condition with a timeout, and fails with the condition's source.
import { setTimeout as sleep } from "node:timers/promises";

/** Generous: a machine that runs many tests at once is slow, and a passing test never waits this long. */
const TIMEOUT_MS = 180_000;

type Answer<T> = T | false | undefined | null;

interface WaitOptions {
  /** Polling interval. Use a longer one when a check costs the program under test something. */
  readonly everyMs?: number;
}

/** Resolves with the first answer that is not false, undefined or null. */
export async function waitFor<T>(
  look: () => Answer<T> | Promise<Answer<T>>,
  { everyMs = 10 }: WaitOptions = {},
): Promise<T> {
  for (const began = Date.now(); Date.now() - began < TIMEOUT_MS; await sleep(everyMs)) {
    const answer = await look();
    if (answer !== false && answer !== undefined && answer !== null) return answer;
  }
  throw new Error(`condition not met within ${TIMEOUT_MS / 1000} s: ${look}`);
}

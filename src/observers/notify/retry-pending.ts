// Retries pending notifications at an interval, for as long as a long-lived process runs.
import type { Context } from "#state/context";
import { deliverPending } from "./notifier.ts";

const EVERY_MS = 60_000;

export function retryPending(app: Context, warn: (text: string) => void): () => void {
  const abort = new AbortController();
  const retry = () =>
    deliverPending(app, { warn }, abort.signal).catch((error) => warn(`notify: ${(error as Error).message}`));
  void retry();
  const timer = setInterval(retry, EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    abort.abort();
  };
}

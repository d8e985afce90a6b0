// Delivers what runs have left to tell, now and then, for as long as somebody is there to do it.
import type { App } from "#state/context";
import { deliverPending } from "./notifier.ts";

const EVERY_MS = 60_000;

export function keepTelling(app: App, warn: (text: string) => void): () => void {
  const leave = new AbortController();
  const tell = () =>
    deliverPending(app, { warn }, leave.signal).catch((error) => warn(`notify: ${(error as Error).message}`));
  void tell();
  const timer = setInterval(tell, EVERY_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    leave.abort();
  };
}

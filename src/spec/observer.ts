// Port of an observer: it receives every event after it is recorded, cannot change the run, and its failures do not matter.
import type { RunEvent } from "./event.ts";
import type { Run } from "./run.ts";

export interface Observer {
  /** `run` includes the event. An observer with slow work does it in the background and returns at once. */
  saw(event: RunEvent, run: Run): void | Promise<void>;
  /** Environment variables for processes that start from now on. */
  variables?(): Readonly<Record<string, string>>;
  /** No more events follow from this process. Must return within a bounded time. */
  close?(): Promise<void>;
}

// One who hears of every event of a run once it is recorded; it never changes the run, and what goes wrong with it is its own.
import type { RunEvent } from "./event.ts";
import type { Run } from "./run.ts";

export interface Observer {
  /** `run` is the run with the event. Whoever has much to do does it beside the run, and returns at once. */
  saw(event: RunEvent, run: Run): void | Promise<void>;
  /** What the processes that are started now are to know, besides everything else. */
  variables?(): Readonly<Record<string, string>>;
  /** No more events come from this process; in bounded time. */
  close?(): Promise<void>;
}

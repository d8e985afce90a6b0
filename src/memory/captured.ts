// Memory of the last iterations: files changed and gate results.
import type { Memory } from "#spec/memory";
import { capturedOf, entriesOf } from "./entry.ts";

export interface CapturedOptions {
  /** Number of iterations to keep. */
  readonly entries?: number;
  /** Maximum characters of output per iteration. */
  readonly chars?: number;
}

export function captured({ entries = 5, chars = 500 }: CapturedOptions = {}): Memory {
  return {
    recall: (run) => entriesOf(run, entries, (iteration) => capturedOf(run, iteration, chars)),
  };
}

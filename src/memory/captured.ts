// The last iterations as the gates saw them.
import type { Memory } from "#spec/memory";
import { capturedOf, entriesOf } from "./entry.ts";

export interface CapturedOptions {
  /** How many iterations are kept. */
  readonly entries?: number;
  /** How many characters of output each of them may have. */
  readonly chars?: number;
}

export function captured({ entries = 5, chars = 500 }: CapturedOptions = {}): Memory {
  return {
    recall: (run) => entriesOf(run, entries, (iteration) => capturedOf(run, iteration, chars)),
  };
}

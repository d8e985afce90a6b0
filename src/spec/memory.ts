// The port for text that tells the next iteration what the earlier ones tried.
import type { Run } from "./run.ts";

export interface Memory {
  /** A function of the run, so it survives every crash. Empty when nothing is recorded. */
  recall(run: Run): string | Promise<string>;
}

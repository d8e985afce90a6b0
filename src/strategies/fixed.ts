// Exactly so many iterations, unless the gates hold earlier.
import type { Strategy } from "#spec/strategy";
import { whileRed } from "./while-red.ts";

export interface FixedOptions {
  readonly iterations?: number;
}

export function fixed({ iterations = 3 }: FixedOptions = {}): Strategy {
  return whileRed((_run, { number }) =>
    number < iterations
      ? { continue: true, reason: `on to iteration ${number + 1} of ${iterations}`, confidence: 1 }
      : {
          continue: false,
          reason: `iteration ${number} of ${iterations} was the last, and the task is not complete`,
          confidence: 1,
        },
  );
}

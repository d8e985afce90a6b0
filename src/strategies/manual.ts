// A person decides after each iteration; until then the run waits, with no process needed.
import type { Strategy } from "#spec/strategy";
import { whileRed } from "./shared/while-red.ts";

/** What the person decides does not pass here: the loop follows it before it asks any strategy. */
export function manual(): Strategy {
  return whileRed((_run, latest) => ({
    continue: false,
    wait: true,
    reason: `waiting for a person to decide about iteration ${latest.number}`,
    confidence: 1,
  }));
}

// A run that is over, as something to try strategies on.
import type { Run } from "#spec/run";
import type { Place } from "#strategies/adaptive/learned";

export interface Sequence {
  /** Where it comes from. Sources are worlds of their own: nothing is learned from one for another. */
  readonly source: string;
  /** What is learned is learned within a place, and about others in part. */
  readonly place: Place;
  readonly task: string;
  readonly run: Run;
  readonly solved: boolean;
  /** It was not cut short: it passed, or used up what it was given. Nothing else tells what another strategy would have lost. */
  readonly whole: boolean;
  /** Its own strategy ended it before its limit; nobody knows whether it would have passed. */
  readonly givenUp: boolean;
}

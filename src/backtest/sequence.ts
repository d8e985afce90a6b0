// An ended run as input of a backtest.
import type { Run } from "#spec/run";
import type { Place } from "#strategies/adaptive/learned";

export interface Sequence {
  /** Lessons are never shared between sources. */
  readonly source: string;
  /** Lessons are learned per place, and partly shared between places. */
  readonly place: Place;
  readonly task: string;
  readonly run: Run;
  readonly solved: boolean;
  /** Whether it passed or used up its budget. A run that was cut short cannot show what another strategy would have lost. */
  readonly whole: boolean;
  /** Whether its own strategy ended it before the limit; whether it would have passed is unknown. */
  readonly givenUp: boolean;
}

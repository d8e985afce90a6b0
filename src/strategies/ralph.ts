// Goes on until the agent says it is finished and no gate contradicts, it goes in circles, or the iterations are used.
import { describeRed, falseClaim, signalOf } from "#rules/claim";
import { DEFAULT_SIGNALS, withPromise } from "#rules/signals";
import { wantedGates } from "#rules/success";
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { breakCircle, type Circle } from "./shared/circle.ts";
import { failingIn, findCycle } from "./shared/cycle.ts";
import { isLastIteration, usedUp } from "./shared/last-iteration.ts";
import { messagesRepeat } from "./shared/repetition.ts";
import { whileRed } from "./shared/while-red.ts";
import { iterationsSinceResume } from "./shared/worked.ts";

export interface RalphOptions {
  readonly minIterations?: number;
  /** Becomes the task's limit when the task is read. */
  readonly maxIterations?: number;
  /** How much two messages may differ (0..1) and still say the same. */
  readonly convergenceThreshold?: number;
  /** Messages in a row that must say the same. */
  readonly windowSize?: number;
  readonly signals?: readonly string[];
  /** The only words that count in a promise tag; the task's promise when absent. */
  readonly promise?: string;
  /** Believe the signal even against red gates. */
  readonly trustSignal?: boolean;
  /** Where the app mirrors the state of the run for other tools; decides nothing. */
  readonly stateDir?: string;
}

type Bounds = Required<Pick<RalphOptions, "minIterations" | "convergenceThreshold" | "windowSize">>;

export function ralph(options: RalphOptions = {}): Strategy {
  const { minIterations = 1, convergenceThreshold = 0.05, windowSize = 3 } = options;
  const { signals = DEFAULT_SIGNALS, trustSignal = false } = options;

  return whileRed((run, latest) => {
    const wanted = withPromise(signals, options.promise ?? run.task.promise);
    const claim = signalOf(latest, wanted);
    const believed = trustSignal || wantedGates(run).length === 0;
    if (claim !== undefined && believed && latest.number >= minIterations)
      return accepted(run, latest, claim);
    const decision = goOn({ minIterations, convergenceThreshold, windowSize }, run, latest);
    return believed ? decision : countClaims(decision, run);
  });
}

function accepted(run: Run, latest: Iteration, claim: string): Decision {
  const red = describeRed(run, latest, () => true);
  const why =
    wantedGates(run).length === 0
      ? "and no gate is configured"
      : `and is trusted against the gates; red: ${red}`;
  return { continue: false, accept: true, reason: `the agent said "${claim}" ${why}`, confidence: 0.95 };
}

/** The agent says the same again and again, or arrives at the same files with the same failures. */
function circleIn(
  { convergenceThreshold, windowSize }: Bounds,
  run: Run,
  latest: Iteration,
): Circle | undefined {
  // A crashed agent's last words say nothing about the task.
  const spoke = iterationsSinceResume(run).filter(({ agent }) => agent?.ok !== false);
  if (spoke.at(-1) === latest && messagesRepeat(spoke, windowSize, 1 - convergenceThreshold)) {
    const what = `up to iteration ${latest.number} the agent said the same ${Math.max(2, windowSize)} times`;
    return { what, failing: failingIn(latest) };
  }
  return latest.verdicts.length > 0 ? findCycle(run) : undefined;
}

function goOn(bounds: Bounds, run: Run, latest: Iteration): Decision {
  const { minIterations } = bounds;
  const { number } = latest;
  if (isLastIteration(run)) return usedUp(run);
  const reason = `on to iteration ${number + 1} of ${run.task.limits.iterations}`;
  if (number < minIterations)
    return { continue: true, reason: `${reason}, at least ${minIterations} are wanted`, confidence: 1 };
  const circle = circleIn(bounds, run, latest);
  return circle ? breakCircle(circle, run) : { continue: true, reason, confidence: 0.6 };
}

/** Claims against red gates are counted over the whole run; the prompt tells the agent about the latest. */
function countClaims(decision: Decision, run: Run): Decision {
  const falseClaims = run.iterations.filter((iteration) => falseClaim(run, iteration) !== undefined).length;
  return falseClaims === 0 ? decision : { ...decision, metadata: { ...decision.metadata, falseClaims } };
}

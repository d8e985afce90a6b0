// Continues until the agent claims completion and no gate contradicts, the run goes in circles, or the iteration limit is reached.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineStrategy } from "#options/part";
import { folderInside, fraction } from "#options/part-options";
import { count, text } from "#options/values";
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
  /** Maximum difference (0..1) of two messages that count as equal. */
  readonly convergenceThreshold?: number;
  /** Number of equal messages in a row that make a circle. */
  readonly windowSize?: number;
  readonly signals?: readonly string[];
  /** The only text that counts in a promise tag. Defaults to the task's promise. */
  readonly promise?: string;
  /** Accepts the signal even when gates are red. */
  readonly trustSignal?: boolean;
  /** Folder where the run's state is copied for other tools. Has no effect on decisions. */
  readonly stateDir?: string;
}

type Bounds = Required<Pick<RalphOptions, "minIterations" | "convergenceThreshold" | "windowSize">>;

export function ralph(options: RalphOptions = {}): Strategy {
  const { minIterations = 1, convergenceThreshold = 0.05, windowSize = 3 } = options;
  const { signals = DEFAULT_SIGNALS, trustSignal = false } = options;

  return whileRed((run, latest) => {
    const acceptedSignals = withPromise(signals, options.promise ?? run.task.promise);
    const claim = signalOf(latest, acceptedSignals);
    const isTrusted = trustSignal || wantedGates(run).length === 0;
    if (claim !== undefined && isTrusted && latest.number >= minIterations)
      return acceptClaim(run, latest, claim);
    const decision = goOn({ minIterations, convergenceThreshold, windowSize }, run, latest);
    return isTrusted ? decision : countClaims(decision, run);
  });
}

function acceptClaim(run: Run, latest: Iteration, claim: string): Decision {
  const red = describeRed(run, latest, () => true);
  const why =
    wantedGates(run).length === 0
      ? "and no gate is configured"
      : `and is trusted against the gates; red: ${red}`;
  return { continue: false, accept: true, reason: `the agent said "${claim}" ${why}`, confidence: 0.95 };
}

/** Detects a circle: the agent repeats its message, or arrives at the same files with the same failures. */
function findCircle(
  { convergenceThreshold, windowSize }: Bounds,
  run: Run,
  latest: Iteration,
): Circle | undefined {
  // The message of a crashed agent says nothing about the task.
  const completed = iterationsSinceResume(run).filter(({ agent }) => agent?.ok !== false);
  if (completed.at(-1) === latest && messagesRepeat(completed, windowSize, 1 - convergenceThreshold)) {
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
    return {
      continue: true,
      reason: `${reason}, at least ${minIterations} are required (minIterations)`,
      confidence: 1,
    };
  const circle = findCircle(bounds, run, latest);
  return circle ? breakCircle(circle, run) : { continue: true, reason, confidence: 0.6 };
}

/** Counts false claims over the whole run; the prompt tells the agent about the latest. */
function countClaims(decision: Decision, run: Run): Decision {
  const falseClaims = run.iterations.filter((iteration) => falseClaim(run, iteration) !== undefined).length;
  return falseClaims === 0 ? decision : { ...decision, metadata: { ...decision.metadata, falseClaims } };
}

export const ralphStrategy = defineStrategy({
  type: "ralph",
  summary: "Continues until the agent says that it is done, and the gates, if there are any, pass.",
  options: z.strictObject({
    minIterations: count(100_000).optional(),
    maxIterations: count(100_000).optional(),
    convergenceThreshold: fraction.optional(),
    windowSize: z.int().min(2).max(1000).optional(),
    signals: z.array(text).optional(),
    promise: text.optional(),
    trustSignal: z.boolean().optional(),
    stateDir: folderInside.optional(),
  }),
  traits: {
    iterations: ({ maxIterations }) => (typeof maxIterations === "number" ? maxIterations : undefined),
  },
  helper: (options: RalphOptions = {}) => ({ type: "ralph" as const, ...options }),
  create: (options) => ralph(dropUndefined(options)),
});

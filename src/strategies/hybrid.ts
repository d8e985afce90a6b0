// The default strategy. Without numbers it continues while something improves within a patience; with numbers it spends
// base iterations, then bonus iterations while the score rises. On a circle it tells the agent once, then ends the run.
import * as z from "zod";
import { dropUndefined } from "#options/option";
import { defineStrategy } from "#options/part";
import { fraction } from "#options/part-options";
import { count, text } from "#options/values";
import { hybridNumbers } from "#rules/iteration-limit";
import { DEFAULT_SIGNALS, withPromise } from "#rules/signals";
import type { Decision } from "#spec/decision";
import type { Iteration } from "#spec/run";
import type { Strategy } from "#spec/strategy";
import { type Weights, weightsOption } from "./adaptive/hazard.ts";
import { CRITERIA, type Criterion, describeMet, NEEDED_GATES } from "./criteria.ts";
import { MIN_TRANSITIONS, spendPatience } from "./patience.ts";
import { breakCircle } from "./shared/circle.ts";
import { findCycle } from "./shared/cycle.ts";
import { whileRed } from "./shared/while-red.ts";
import { type NumberOptions, numbersOf, spendNumbers } from "./spend-numbers.ts";

export interface HybridOptions extends NumberOptions {
  /** Checked in this order; the first one met completes the run. */
  readonly completionCriteria?: readonly Criterion[];
  /** Level that `levels` gates must reach for `verification-pass`; without it they must pass entirely. */
  readonly minLevel?: number;
  /** From this iteration on, a run that stops with at least one gate passed is accepted as partial. */
  readonly acceptPartialAfter?: number;
  readonly signals?: readonly string[];
  readonly loopDetection?: boolean;
  /** Weights learned from this project's earlier runs. Not used with numbers. */
  readonly weights?: Weights;
}

export function hybrid(options: HybridOptions = {}): Strategy {
  const {
    completionCriteria = ["verification-pass"],
    signals = DEFAULT_SIGNALS,
    loopDetection = true,
  } = options;
  const numbers = numbersOf(options);

  return whileRed((run, latest) => {
    const situation = {
      run,
      latest,
      minLevel: options.minLevel,
      signals: withPromise(signals, run.task.promise),
    };
    for (const criterion of completionCriteria) {
      const reason = describeMet(criterion, situation);
      if (reason !== undefined) return { continue: false, accept: true, reason, confidence: 0.8 };
    }
    const budgetDecision = numbers
      ? spendNumbers(numbers, run, latest)
      : spendPatience(run, latest, options.weights);
    // A run that ends anyway needs no advice, and its reason is not the circle.
    const circle = loopDetection && budgetDecision.continue ? findCycle(run) : undefined;
    const decision = circle ? breakCircle(circle, run) : budgetDecision;
    return decision.continue ? decision : acceptPartial(decision, latest, options.acceptPartialAfter);
  });
}

function acceptPartial(decision: Decision, latest: Iteration, after: number | undefined): Decision {
  const passed = latest.verdicts.filter(({ verdict }) => verdict.status === "passed").map(({ gate }) => gate);
  if (after === undefined || latest.number < after || passed.length === 0) return decision;
  return {
    ...decision,
    accept: true,
    reason: `${decision.reason}; accepted in part (${passed.join(", ")} passed)`,
  };
}

export const hybridStrategy = defineStrategy({
  type: "hybrid",
  summary: "The default: continues while something improves, or spends base and bonus iterations.",
  options: z.strictObject({
    baseIterations: count(100_000).optional(),
    bonusIterations: z.int().min(0).max(100_000).optional(),
    progressThreshold: fraction.optional(),
    completionCriteria: z.array(z.enum(CRITERIA)).optional(),
    minLevel: z.int().min(0).max(3).optional(),
    acceptPartialAfter: count(100_000).optional(),
    signals: z.array(text).optional(),
    loopDetection: z.boolean().optional(),
    weights: weightsOption.optional(),
  }),
  traits: {
    needsGates: ({ completionCriteria }) =>
      !(Array.isArray(completionCriteria) && completionCriteria.includes("agent-signal")),
    neededGates: NEEDED_GATES,
    iterations: (options) => {
      const numbers = hybridNumbers(options);
      return numbers && numbers.baseIterations + numbers.bonusIterations;
    },
    learnsFrom: (options) => (hybridNumbers(options) === undefined ? MIN_TRANSITIONS : undefined),
  },
  helper: (options: HybridOptions = {}) => ({ type: "hybrid" as const, ...options }),
  create: (options) => hybrid(dropUndefined(options)),
});

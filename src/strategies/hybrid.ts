// Base iterations, then bonus iterations only while the score rises; stops early when the run goes in circles.
import type { Decision } from "#spec/decision";
import type { Iteration, Run } from "#spec/run";
import { DEFAULT_SIGNALS, withPromise } from "#spec/signals";
import type { Strategy } from "#spec/strategy";
import { outOf, stuckIn } from "./circle.ts";
import { type Criterion, metBy } from "./criteria.ts";
import { findCycle } from "./cycle.ts";
import { findLoop } from "./repetition.ts";
import { whileRed } from "./while-red.ts";

export interface HybridOptions {
  readonly baseIterations?: number;
  readonly bonusIterations?: number;
  /** Least rise of the score over the best before that earns a bonus iteration. */
  readonly progressThreshold?: number;
  /** Looked at in this order; the first one met completes the run. */
  readonly completionCriteria?: readonly Criterion[];
  /** The level that `levels` gates must reach for `verification-pass`; without it they must pass whole. */
  readonly minLevel?: number;
  /** From this iteration on, a run that stops with at least one gate passed is accepted as partial. */
  readonly acceptPartialAfter?: number;
  readonly signals?: readonly string[];
  readonly loopDetection?: boolean;
}

type Budget = Required<Pick<HybridOptions, "baseIterations" | "bonusIterations" | "progressThreshold">>;

export function hybrid(options: HybridOptions = {}): Strategy {
  const { baseIterations = 3, bonusIterations = 2, progressThreshold = 0.1 } = options;
  const {
    completionCriteria = ["verification-pass"],
    signals = DEFAULT_SIGNALS,
    loopDetection = true,
  } = options;
  const budget = { baseIterations, bonusIterations, progressThreshold };

  return whileRed(async (run, latest) => {
    const known = { minLevel: options.minLevel, signals: withPromise(signals, run.task.promise) };
    for (const criterion of completionCriteria) {
      const reason = metBy(criterion, run, latest, known);
      if (reason !== undefined) return { continue: false, accept: true, reason, confidence: 0.8 };
    }
    const circle = loopDetection ? ((await findLoop(run.iterations)) ?? findCycle(run)) : undefined;
    const spent = spend(budget, run, latest);
    // Telling it to take another way makes sense only where there is another iteration.
    const decision = (circle && (spent.continue ? outOf(circle, run) : stuckIn(circle, run))) ?? spent;
    return decision.continue ? decision : inPart(decision, latest, options.acceptPartialAfter);
  });
}

function spend(budget: Budget, run: Run, { number, score }: Iteration): Decision {
  const { baseIterations: base, bonusIterations: bonus, progressThreshold } = budget;
  if (number < base)
    return { continue: true, reason: `on to iteration ${number + 1} of ${base}`, confidence: 1 };
  const used = number - base;
  if (used >= bonus) return { continue: false, reason: usedUp(base, bonus), confidence: 0.7 };
  const rise = score === undefined ? undefined : score - bestBefore(run, number);
  // The slack is for sums like 0.3 - 0.2, which fall short of 0.1.
  if (rise !== undefined && rise >= progressThreshold - 1e-9) {
    const reason = `on to bonus iteration ${used + 1} of ${bonus}: ${rose(rise)}`;
    return { continue: true, reason, confidence: 0.8 };
  }
  const reason = `no bonus iteration after iteration ${number}: ${rose(rise)}, and ${progressThreshold} is wanted`;
  return { continue: false, reason, confidence: 0.7 };
}

// Where nothing was scored before, the first score counts as a rise from nothing.
function bestBefore(run: Run, number: number): number {
  const before = [run.baseline, ...run.iterations].filter((iteration) => iteration.number < number);
  return Math.max(0, ...before.map((iteration) => iteration.score ?? 0));
}

function rose(rise: number | undefined): string {
  if (rise === undefined) return "there is no score";
  return rise > 0 ? `the score rose by ${Number(rise.toPrecision(2))}` : "the score did not rise";
}

function usedUp(base: number, bonus: number): string {
  const extra = bonus > 0 ? ` and all ${bonus} bonus iterations` : "";
  return `all ${base} iterations${extra} are used up, and the task is not complete`;
}

function inPart(decision: Decision, latest: Iteration, after: number | undefined): Decision {
  const passed = latest.verdicts.filter(({ verdict }) => verdict.status === "passed").map(({ gate }) => gate);
  if (after === undefined || latest.number < after || passed.length === 0) return decision;
  return {
    ...decision,
    accept: true,
    reason: `${decision.reason}; accepted in part (${passed.join(", ")} passed)`,
  };
}

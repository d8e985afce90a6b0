// The iteration limit of a task: the one number that header, progress lines, prompt and strategies share.
import { type Component, TASK_DEFAULTS } from "#spec/task";

interface HybridNumbers {
  readonly baseIterations: number;
  readonly bonusIterations: number;
}

const asNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** The counts of a `hybrid` strategy with any of its numbers set; undefined when none is set. */
export function hybridNumbers(
  given: Readonly<Partial<Record<keyof HybridNumbers | "progressThreshold" | "type", unknown>>>,
): HybridNumbers | undefined {
  const [base, bonus] = [asNumber(given.baseIterations), asNumber(given.bonusIterations)];
  if ((base ?? bonus ?? asNumber(given.progressThreshold)) === undefined) return undefined;
  return { baseIterations: base ?? 3, bonusIterations: bonus ?? 2 };
}

/** The iteration limit set in the strategy's own options. */
export function strategyIterations(strategy: Component): number | undefined {
  switch (strategy.type) {
    case "fixed":
      return asNumber(strategy.iterations);
    case "ralph":
      return asNumber(strategy.maxIterations);
    case "hybrid": {
      const numbers = hybridNumbers(strategy);
      return numbers && numbers.baseIterations + numbers.bonusIterations;
    }
    default:
      return undefined;
  }
}

/** A given number replaces the default; of two, the smaller one applies. */
export function iterationLimit(
  strategy: Component,
  given: number | undefined,
  otherwise: number = TASK_DEFAULTS.limits.iterations,
): number {
  const own = strategyIterations(strategy);
  if (own === undefined || given === undefined) return own ?? given ?? otherwise;
  return Math.min(own, given);
}

export function iterationLimitReason(limit: number): string {
  return limit === 1 ? "the only iteration is used" : `all ${limit} iterations are used`;
}

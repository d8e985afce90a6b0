// The iteration limit of a task: the one number that header, progress lines, prompt and strategies share.
import { type Component, TASK_DEFAULTS } from "#spec/task";

interface HybridNumbers {
  readonly baseIterations: number;
  readonly bonusIterations: number;
}

const asNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** The counts of a `hybrid` strategy with any of its numbers set; undefined when none is set. */
export function hybridNumbers(
  options: Readonly<Partial<Record<keyof HybridNumbers | "progressThreshold" | "type", unknown>>>,
): HybridNumbers | undefined {
  const [base, bonus] = [asNumber(options.baseIterations), asNumber(options.bonusIterations)];
  if ((base ?? bonus ?? asNumber(options.progressThreshold)) === undefined) return undefined;
  return { baseIterations: base ?? 3, bonusIterations: bonus ?? 2 };
}

/**
 * The iterations that the options of a recorded strategy grant. Only tasks of earlier versions need it, so a new strategy
 * needs no row: the limit of a new task already includes what its strategy grants.
 */
export function recordedIterations(strategy: Component): number | undefined {
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

/** The limit of the strategy, `granted`, replaces the default; of two given limits, the smaller one applies. */
export function iterationLimit(
  granted: number | undefined,
  given: number | undefined,
  otherwise: number = TASK_DEFAULTS.limits.iterations,
): number {
  if (granted === undefined || given === undefined) return granted ?? given ?? otherwise;
  return Math.min(granted, given);
}

export function iterationLimitReason(limit: number): string {
  return limit === 1 ? "the only iteration is used" : `all ${limit} iterations are used`;
}

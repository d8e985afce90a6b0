// Usage of a run against its limits. Omits values that no agent reported; unknown is not zero.
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import { amount, duration, money } from "./format.ts";
import { type Part, tone } from "./spans.ts";
import type { Style } from "./style.ts";

function against(
  used: number,
  limit: number | undefined,
  words: (value: number) => string,
  unit = "",
): Part[] {
  return limit === undefined
    ? [words(used), unit]
    : [words(used), tone("faint", ` of ${words(limit)}${unit}`)];
}

/** Time, tokens and cost. */
export function usage(run: Run, progress: Progress, elapsedMs: number, style: Style): Part[][] {
  const { limits } = run.task;
  const cost = (usd: number): string => money(usd, style.glyphs);
  const facts = [against(elapsedMs, progress.maxMs, duration)];
  if (progress.tokens !== undefined) facts.push(against(progress.tokens, limits.tokens, amount, " tokens"));
  if (progress.costUsd !== undefined) facts.push(against(progress.costUsd, limits.cost, cost));
  return facts;
}

// Usage of a run against its limits. Omits values that no agent reported; unknown is not zero.
import type { Progress } from "#spec/progress";
import type { Run } from "#spec/run";
import { amount, duration, money } from "./format.ts";
import { type Part, tone } from "./spans.ts";
import type { Style } from "./style.ts";

interface Unit {
  readonly format: (value: number) => string;
  readonly name?: string;
}

function againstLimit(used: number, limit: number | undefined, { format, name = "" }: Unit): Part[] {
  return limit === undefined
    ? [format(used), name]
    : [format(used), tone("faint", ` of ${format(limit)}${name}`)];
}

/** Time, tokens and cost. */
export function usage({ task }: Run, progress: Progress, style: Style): Part[][] {
  const { elapsedMs, maxMs, tokens, costUsd } = progress;
  const { limits } = task;
  const cost = (usd: number): string => money(usd, style.glyphs);
  const facts = [againstLimit(elapsedMs, maxMs, { format: duration })];
  if (tokens !== undefined)
    facts.push(againstLimit(tokens, limits.tokens, { format: amount, name: " tokens" }));
  if (costUsd !== undefined) facts.push(againstLimit(costUsd, limits.cost, { format: cost }));
  return facts;
}

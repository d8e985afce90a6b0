// Usage of the run against its limits.
import { amount, duration, money } from "#text/format";
import { useEverySecond } from "../clock.ts";
import { Bar } from "./bar.tsx";
import { useRun } from "./run-context.ts";

const SECOND = 1000;

/** The record has the time up to its last event; while the run is active, add the time since. */
function useElapsed(): number {
  const { state, elapsedMs, updatedAt } = useRun().overview;
  return useEverySecond(() => {
    if (state !== "running") return elapsedMs;
    const since = Math.max(0, Date.now() - Date.parse(updatedAt));
    return Math.floor((elapsedMs + since) / SECOND) * SECOND;
  });
}

export function Budget() {
  const { overview } = useRun();
  const { limits } = overview.task;
  const { tokens, costUsd } = overview;
  return (
    <section class="budgets" aria-label="Budget">
      <Bar name="Iterations" used={overview.iterations} most={overview.maxIterations} words={String} />
      <Bar name="Time" used={useElapsed()} most={limits.timeMs} words={duration} />
      {(tokens !== undefined || limits.tokens !== undefined) && (
        <Bar name="Tokens" used={tokens ?? 0} most={limits.tokens} words={amount} />
      )}
      {(costUsd !== undefined || limits.cost !== undefined) && (
        <Bar name="Cost" used={costUsd ?? 0} most={limits.cost} words={money} />
      )}
    </section>
  );
}

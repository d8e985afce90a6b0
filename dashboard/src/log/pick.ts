// Picks the log to show when the user has not chosen one: the active part, else the agent.
import type { LogEntry, Overview } from "#spec/overview";
import type { Phase } from "#spec/progress";

export const keyOf = ({ part, stream }: Pick<LogEntry, "part" | "stream">): string => `${stream}/${part}`;

/** The active iteration, whose logs may still grow. */
export function atWork({ state, driver, progress }: Overview): number | undefined {
  return driver !== undefined || state === "away" ? progress.iteration : undefined;
}

/** `phase` is what the run is doing now; absent for an iteration that is not active. */
export function pick(logs: readonly LogEntry[], chosen: string | null, phase?: Phase) {
  const named = logs.find((log) => keyOf(log) === chosen);
  if (named) return named;
  const part = phase?.name === "gate" ? phase.gate : "agent";
  return logs.find((log) => log.part === part) ?? logs[0];
}

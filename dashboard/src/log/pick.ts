// Picks the log to show when the user has not chosen one: the active part, else the agent.
import type { LogEntry, Overview } from "#spec/overview";

export const keyOf = ({ part, stream }: Pick<LogEntry, "part" | "stream">): string => `${stream}/${part}`;

/** The active iteration, whose logs may still grow. */
export function atWork({ state, driver, progress }: Overview): number | undefined {
  return driver !== undefined || state === "away" ? progress.iteration : undefined;
}

export function pick(
  logs: readonly LogEntry[],
  chosen: string | null,
  { progress }: Overview,
  live: boolean,
) {
  const named = logs.find((log) => keyOf(log) === chosen);
  if (named) return named;
  const { name, gate } = progress.phase;
  const part = live && name === "gate" ? gate : "agent";
  return logs.find((log) => log.part === part) ?? logs[0];
}

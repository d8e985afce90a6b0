// Tells iterations in which the agent did something from those that show nothing about the task.
import type { Iteration, Run } from "#spec/run";

/**
 * The agent ended normally and left other files than it started from. An agent that crashed, changed nothing, or whose
 * whole change was put back has not.
 */
export function hasWorked({ agent, snapshot, from }: Iteration): boolean {
  return agent?.ok !== false && snapshot !== undefined && snapshot.tree !== from;
}

/** The iterations that count: all of them, or those since the ended run was resumed. */
export function iterationsSinceResume({ iterations, reopenedAt = 0 }: Run): readonly Iteration[] {
  return reopenedAt === 0 ? iterations : iterations.slice(reopenedAt);
}

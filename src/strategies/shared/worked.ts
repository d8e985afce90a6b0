// Selects the iterations that say something about the task.
import type { Iteration, Run } from "#spec/run";

/**
 * True when the agent ended normally and changed files. False for an agent that crashed, changed nothing, or whose whole
 * change was reverted.
 */
export function hasWorked({ agent, snapshot, from }: Iteration): boolean {
  return agent?.ok !== false && snapshot !== undefined && snapshot.tree !== from;
}

/** All iterations, or those since the ended run was resumed. */
export function iterationsSinceResume({ iterations, reopenedAt = 0 }: Run): readonly Iteration[] {
  return reopenedAt === 0 ? iterations : iterations.slice(reopenedAt);
}

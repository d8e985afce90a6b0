// Rejects a task without any rule that can end it as solved.
import { UsageError } from "#spec/errors";
import type { Task } from "#spec/task";

/** Strategies where the agent, a person or the user's own code ends a run. */
const SELF_DECIDING = new Set(["ralph", "manual", "custom", "inline"]);

function canEndWithoutGates({ strategy }: Task): boolean {
  const { type, completionCriteria, trustSignal } = strategy;
  if (SELF_DECIDING.has(type) || trustSignal === true) return true;
  return Array.isArray(completionCriteria) && completionCriteria.includes("agent-signal");
}

export function refuseWithoutGates(task: Task): void {
  if (task.gates.length > 0 || task.requirePromise || canEndWithoutGates(task)) return;
  throw new UsageError('No gate: nothing can verify the work. Add --gate "npm test", or use converge ralph');
}

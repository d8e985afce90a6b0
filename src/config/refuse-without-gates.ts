// Refuses a task that nothing could ever show to be done.
import { UsageError } from "#spec/errors";
import type { Task } from "#spec/task";

/** Strategies that end a run by the word of the agent, of a person, or of the user's own code. */
const DECIDE_THEMSELVES = new Set(["ralph", "manual", "custom", "inline"]);

function endsBySignal({ strategy }: Task): boolean {
  const { type, completionCriteria, trustSignal } = strategy;
  if (DECIDE_THEMSELVES.has(type) || trustSignal === true) return true;
  return Array.isArray(completionCriteria) && completionCriteria.includes("agent-signal");
}

export function refuseWithoutGates(task: Task): void {
  if (task.gates.length > 0 || task.requirePromise || endsBySignal(task)) return;
  throw new UsageError(
    'No gate: nothing could show that the work is done. Add --gate "npm test", or use converge ralph',
  );
}

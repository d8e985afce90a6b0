// Refuses a task without gates whose strategy needs them: nothing could verify the work.
import type { Component } from "#spec/task";
import { child, type Located } from "./located.ts";
import type { Problems } from "./problems.ts";

/** Strategies that only gates can satisfy. The others ask the agent, a person or the user's own code. */
const NEED_GATES = new Set(["fixed", "hybrid", "adaptive"]);

function needsGates({ type, completionCriteria, trustSignal }: Component): boolean {
  const isBySignal = Array.isArray(completionCriteria) && completionCriteria.includes("agent-signal");
  return NEED_GATES.has(type) && trustSignal !== true && !isBySignal;
}

const NO_GATE =
  'No gate: nothing can verify the work. Add --gate "npm test" (in a task: gates: ["npm test"]), or use converge ralph (in a task: strategy: ralph)';

/** Reports the problem at the `gates` of the task, or at `where` when there are none. */
export function refuseWithoutGates(
  tree: Located,
  where: string,
  strategy: Component | undefined,
  problems: Problems,
): void {
  const gates = child(tree, "gates");
  const promise = child(tree, "requirePromise");
  const isPromised = promise?.kind === "leaf" && promise.value === true;
  // A strategy that cannot be read is a problem of its own.
  if (!strategy || isPromised || !needsGates(strategy)) return;
  if (gates === undefined || (gates.kind === "list" && gates.items.length === 0))
    problems.add(gates?.valueAt ?? where, NO_GATE);
}

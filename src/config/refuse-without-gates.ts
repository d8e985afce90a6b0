// Refuses a task without gates whose strategy needs them: nothing could verify the work.
import { child, type Located } from "./located.ts";
import type { Problems } from "./problems.ts";

const NO_GATE =
  'No gate: nothing can verify the work. Add --gate "npm test" (in a task: gates: ["npm test"]), or use converge ralph (in a task: strategy: ralph)';

/** Reports the problem at the `gates` of the task, or at `where` when there are none. */
export function refuseWithoutGates(
  tree: Located,
  where: string,
  needsGates: boolean,
  problems: Problems,
): void {
  const gates = child(tree, "gates");
  const promise = child(tree, "requirePromise");
  const isPromised = promise?.kind === "leaf" && promise.value === true;
  if (isPromised || !needsGates) return;
  if (gates === undefined || (gates.kind === "list" && gates.items.length === 0))
    problems.add(gates?.valueAt ?? where, NO_GATE);
}

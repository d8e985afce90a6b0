// What the maker of a part is told about the run it is made for.
import type { Agent } from "#spec/agent";
import type { Component, Task } from "#spec/task";

/** What a part may need to know about the run it is made for. */
export interface PartContext {
  /** Name of the gate. */
  readonly name: string;
  /** Called when the run's process is done with it. */
  readonly onClose: (close: () => Promise<void>) => void;
  /** The shell commands of the task's gates. */
  readonly commands: readonly string[];
  readonly prices: Task["prices"];
  /** Makes an agent, for a part that asks one; the task's own, the first of them, when none is described. */
  readonly agent: (component?: Component) => Promise<Agent>;
}

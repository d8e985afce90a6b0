// Context that a registry passes to the factory of a part.
import type { Agent } from "#spec/agent";
import type { Component, Task } from "#spec/task";

export interface PartContext {
  /** Name of the gate. */
  readonly name: string;
  /** Registers a callback that runs when the process closes the parts of the run. */
  readonly onClose: (close: () => Promise<void>) => void;
  /** The shell commands of the task's gates. */
  readonly commands: readonly string[];
  readonly prices: Task["prices"];
  /** Creates an agent for a part that needs one. Defaults to the task's first agent. */
  readonly agent: (component?: Component) => Promise<Agent>;
}

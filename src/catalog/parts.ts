// Creates the parts of a task from the registries: agents, gates, strategy and memory.

import type { Inline } from "#config/read-parts";
import type { Agent, Isolation } from "#spec/agent";
import { UsageError } from "#spec/errors";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import type { Component, Task } from "#spec/task";
import type { Registries } from "./built-ins.ts";
import { gateCommands } from "./gate-commands.ts";
import type { PartContext } from "./part-context.ts";
import type { Registry } from "./registry.ts";

export interface Parts {
  readonly agents: readonly Agent[];
  readonly gates: ReadonlyMap<string, Gate>;
  readonly strategy: Strategy;
  readonly memory: Memory;
  close(): Promise<void>;
}

const NO_INLINE_PARTS: Inline = { agents: new Map(), gates: new Map() };

/** Rejects `context: resume` unless every agent can resume a session. */
function requireResumable(agents: readonly Agent[]): void {
  const unable = agents.filter(({ resumes }) => !resumes).map(({ name }) => name);
  if (unable.length > 0)
    throw new UsageError(
      `context: resume needs agents that can resume a session, and ${unable.join(", ")} cannot. Write "context: fresh"`,
    );
}

function firstOf(agents: Task["agents"]): Component {
  const [first] = agents;
  if (first === undefined)
    throw new UsageError("the task has no agent: name one under agent, or with --agent");
  return first;
}

/** Applies the run's isolation to an agent that judges or summarizes: it is trusted no more than the working agent. */
function isolate(agent: Agent, isolation: Isolation | undefined): Agent {
  if (!isolation) return agent;
  return { ...agent, run: (request, signal) => agent.run({ isolation, ...request }, signal) };
}

export interface MakePartsOptions {
  readonly registries: Registries;
  /** Parts given as live objects, instead of made. */
  readonly inline?: Inline | undefined;
  readonly isolation?: Isolation;
}

export async function makeParts(
  task: Task,
  { registries, inline = NO_INLINE_PARTS, isolation }: MakePartsOptions,
): Promise<Parts> {
  const closers: (() => Promise<void>)[] = [];
  const make = async <Port>(
    registry: Registry<Port, PartContext>,
    component: Component,
    inlinePart: Port | undefined,
    name: string,
  ) => {
    if (inlinePart) return inlinePart;
    if (component.type === "session")
      throw new UsageError(
        `the agent of this run is an interactive session of ${String(component.host)}, so only that session can continue the run`,
      );
    if (component.type === "inline")
      throw new UsageError(
        `the ${registry.kind} "${String(component.name)}" of this run is an object of the program that started it. Resume the run from that program`,
      );
    return registry.create(component, context(name));
  };
  const context = (name: string): PartContext => ({
    name,
    onClose: (close) => closers.push(close),
    commands: gateCommands(task),
    prices: task.prices,
    agent: async (component) =>
      isolate(
        await (component
          ? registries.agents.create(component, context(name))
          : make(registries.agents, firstOf(task.agents), inline.agents.get(0), name)),
        isolation,
      ),
  });
  const gates = new Map<string, Gate>();
  for (const { name, use } of task.gates)
    gates.set(name, await make(registries.gates, use, inline.gates.get(name), name));
  const agents: Agent[] = [];
  for (const [index, one] of task.agents.entries())
    agents.push(await make(registries.agents, one, inline.agents.get(index), "agent"));
  if (task.context === "resume") requireResumable(agents);
  return {
    agents,
    gates,
    strategy: await make(registries.strategies, task.strategy, inline.strategy, "strategy"),
    memory: await make(registries.memories, task.memory, inline.memory, "memory"),
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

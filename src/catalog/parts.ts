// The living parts of a task: its agent, gates, strategy and memory, made by the registries.

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

const NOTHING_INLINE: Inline = { agents: new Map(), gates: new Map() };

/** `context: resume` is a promise that every agent must be able to keep. */
function refuseForgetful(agents: readonly Agent[]): void {
  const forgetful = agents.filter(({ resumes }) => !resumes).map(({ name }) => name);
  if (forgetful.length > 0)
    throw new UsageError(
      `context: resume needs agents that can go on with a session, and ${forgetful.join(", ")} cannot; write "context: fresh"`,
    );
}

function firstOf(agents: Task["agents"]): Component {
  const [first] = agents;
  if (first === undefined) throw new UsageError("the task has no agent");
  return first;
}

/** An agent that judges or sums up is no more trusted than one that works. */
function shutOff(agent: Agent, isolation: Isolation | undefined): Agent {
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
  { registries, inline = NOTHING_INLINE, isolation }: MakePartsOptions,
): Promise<Parts> {
  const closers: (() => Promise<void>)[] = [];
  const make = async <Port>(
    registry: Registry<Port, PartContext>,
    component: Component,
    live: Port | undefined,
    name: string,
  ) => {
    if (live) return live;
    if (component.type === "session")
      throw new UsageError(
        `the agent of this run is a session of ${String(component.host)}, and it goes on there: when the session's turn ends`,
      );
    if (component.type === "inline")
      throw new UsageError(
        `the ${registry.kind} "${String(component.name)}" of this run is an object of the program that started it; resume it from there`,
      );
    return registry.create(component, context(name));
  };
  const context = (name: string): PartContext => ({
    name,
    onClose: (close) => closers.push(close),
    commands: gateCommands(task),
    prices: task.prices,
    agent: async (component) =>
      shutOff(
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
  if (task.context === "resume") refuseForgetful(agents);
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

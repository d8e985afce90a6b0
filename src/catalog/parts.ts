// Creates the parts of a task from the registries: agents, gates, strategy and memory.

import type { Inline } from "#config/read-parts";
import type { PartContext } from "#options/part";
import type { Agent, Isolation } from "#spec/agent";
import { UsageError } from "#spec/errors";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import type { Component, Task } from "#spec/task";
import type { Registries } from "./built-ins.ts";
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

/** What all parts of one task are made from. */
interface Ingredients {
  readonly task: Task;
  readonly registries: Registries;
  readonly inline: Inline;
  readonly isolation: Isolation | undefined;
  /** Callbacks that close the parts. */
  readonly closers: (() => Promise<void>)[];
}

export async function makeParts(task: Task, options: MakePartsOptions): Promise<Parts> {
  const { registries, inline = NO_INLINE_PARTS, isolation } = options;
  const closers: (() => Promise<void>)[] = [];
  const ingredients = { task, registries, inline, isolation, closers };
  const context = (name: string) => contextFor(name, ingredients);
  const gates = new Map<string, Gate>();
  for (const { name, use } of task.gates)
    gates.set(name, inline.gates.get(name) ?? (await makePart(registries.gates, use, context(name))));
  const agents: Agent[] = [];
  for (const [index, one] of task.agents.entries())
    agents.push(inline.agents.get(index) ?? (await makePart(registries.agents, one, context("agent"))));
  if (task.context === "resume") requireResumable(agents);
  const { strategies, memories } = registries;
  return {
    agents,
    gates,
    strategy: inline.strategy ?? (await makePart(strategies, task.strategy, context("strategy"))),
    memory: inline.memory ?? (await makePart(memories, task.memory, context("memory"))),
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

async function makePart<Port>(
  registry: Registry<Port, PartContext>,
  component: Component,
  context: PartContext,
): Promise<Port> {
  if (component.type === "session")
    throw new UsageError(
      `the agent of this run is an interactive session of ${String(component.host)}, so only that session can continue the run`,
    );
  if (component.type === "inline")
    throw new UsageError(
      `the ${registry.kind} "${String(component.name)}" of this run is an object of the program that started it. Resume the run from that program`,
    );
  return registry.create(component, context);
}

function contextFor(name: string, ingredients: Ingredients): PartContext {
  const { task, registries, inline, isolation, closers } = ingredients;
  const context: PartContext = {
    name,
    onClose: (close) => closers.push(close),
    commands: gateCommands(task),
    prices: task.prices,
    agent: async (component) =>
      isolate(
        await (component
          ? registries.agents.create(component, context)
          : (inline.agents.get(0) ?? makePart(registries.agents, firstOf(task.agents), context))),
        isolation,
      ),
  };
  return context;
}

/** The shell commands of the task's gates, without duplicates. The agent may run them too, except black-box cases, which it must not see. */
function gateCommands({ gates }: Task): string[] {
  const commands = gates.flatMap(({ use }) => {
    const tests = use.tests as Readonly<Record<string, unknown>> | undefined;
    const levelEntries = [tests?.setup, tests?.commands].flatMap((list) =>
      Array.isArray(list) ? list : [list],
    );
    const levelCommands = levelEntries.map(
      (one) => (one as { command?: unknown } | undefined)?.command ?? one,
    );
    return [use.command, ...levelCommands].flatMap(commandOf);
  });
  return [...new Set(commands)];
}

function commandOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((word) => typeof word === "string") ? [value.join(" ")] : [];
}

// What Converge comes with.
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import { agents } from "./known/agents.ts";
import type { PartContext } from "./known/context.ts";
import { gates } from "./known/gates.ts";
import { memories } from "./known/memories.ts";
import { strategies } from "./known/strategies.ts";
import type { Registry } from "./registry.ts";

export interface Registries {
  readonly agents: Registry<Agent, PartContext>;
  readonly gates: Registry<Gate, PartContext>;
  readonly strategies: Registry<Strategy, PartContext>;
  readonly memories: Registry<Memory, PartContext>;
}

/** A fresh set, so that what one caller registers does not reach another. */
export function builtIns(): Registries {
  return { agents: agents(), gates: gates(), strategies: strategies(), memories: memories() };
}

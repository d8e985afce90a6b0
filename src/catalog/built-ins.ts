// Registries of all built-in agents, gates, strategies and memories.
import type { Agent } from "#spec/agent";
import type { Gate } from "#spec/gate";
import type { Memory } from "#spec/memory";
import type { Strategy } from "#spec/strategy";
import { agents } from "./agents.ts";
import { gates } from "./gates.ts";
import { memories } from "./memories.ts";
import type { PartContext } from "./part-context.ts";
import type { Registry } from "./registry.ts";
import { strategies } from "./strategies.ts";

export interface Registries {
  readonly agents: Registry<Agent, PartContext>;
  readonly gates: Registry<Gate, PartContext>;
  readonly strategies: Registry<Strategy, PartContext>;
  readonly memories: Registry<Memory, PartContext>;
}

/** Creates new registries on every call, so that one caller's registrations never reach another. */
export function builtIns(): Registries {
  return { agents: agents(), gates: gates(), strategies: strategies(), memories: memories() };
}
